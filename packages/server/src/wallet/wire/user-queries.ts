/**
 * Handlers of User data, Balance and Check. These calls only read, so they do not enter the call
 * queue (P-1 to P-5).
 */

import type { CheckRequest } from '@purser/protocol/bet-request'
import { OPERATIONS } from '@purser/protocol/operation'
import { toQualifiedBetId } from '@purser/protocol/qualified-bet-id'
import type { BalanceRequest, CustomFields, ProfileRequest, UserProfile } from '@purser/protocol/user-profile'
import { formatMoney, requireScale, ZERO } from '@purser/protocol/values/money'
import type { BetId, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import type { Clock } from '@purser/runtime/clock'
import type { Db } from '../../core/database/db.ts'
import { readAccounts } from '../ledger/account.ts'
import { checkToken } from '../rules/token-validity.ts'
import { readBets } from '../store/bet-store.ts'
import { bucketOf } from '../store/bucket.ts'
import { type Player, readPlayer } from '../store/player.ts'
import { findSession, hashToken, readSession, type SessionRecord } from '../store/session.ts'
import { type DecodeSettings, resolvePlayer } from './call-decoder.ts'
import { acceptedReply, refusedReply, type WalletReply } from './wallet-reply.ts'

export interface UserQueryDeps {
  readonly db: Db
  readonly clock: Clock
  readonly buckets: number
  readonly settings: DecodeSettings
  /** True: a platform may query the bets of the others (W-43). */
  readonly sharedBets: boolean
}

/** Ids of a query, filled in while it is answered. */
export interface QueryIds {
  requestId?: RequestId
  betId?: BetId
  player?: PlayerId
}

/** POST /user/profile: the token's hash leads to the bucket and the player (session.ts). */
export async function answerProfile(
  { db, clock, buckets, settings }: UserQueryDeps,
  request: ProfileRequest,
  ids: QueryIds,
): Promise<WalletReply> {
  ids.requestId = request.requestId as RequestId
  const found = await findSession(db, buckets, hashToken(request.token))
  if (found === undefined) return refusedReply('invalid_token')
  const { session, bucket } = found
  ids.player = session.player
  const named = settings.behindAggregator ? (request.operatorUser as PlayerId | undefined) : undefined
  const token = checkToken(session, named ?? session.player, clock.now())
  if (token !== 'live') return refusedReply(token)
  const player = await readPlayer(db, bucket, session.player)
  return player === undefined
    ? refusedReply('invalid_token')
    : acceptedReply(JSON.stringify(toProfile(player, session)))
}

/**
 * The profile has only values that the operator stored (P-2). It includes the session's origin and
 * the operator's own id (P-5).
 */
function toProfile(player: Player, session: SessionRecord): UserProfile {
  const customFields: CustomFields = {
    ...player.customFields,
    ...(session.ip !== null && { userSessionIp: session.ip }),
    ...(session.country !== null && { userSessionCountry: session.country }),
    ...(player.operatorUser !== null && { operatorUser: player.operatorUser }),
  }
  return {
    userId: player.id,
    currency: session.currency,
    currencies: [...player.currencies],
    ...(player.isTest !== null && { isTest: player.isTest }),
    ...(player.operatorUser !== null && { operatorUser: player.operatorUser }),
    ...(Object.keys(customFields).length > 0 && { customFields }),
  }
}

/** POST /user/balance: the exact decimal in the requested currency (P-3). */
export async function answerBalance(
  { db, clock, buckets, settings }: UserQueryDeps,
  request: BalanceRequest,
  ids: QueryIds,
): Promise<WalletReply> {
  const playerId = resolvePlayer(request, settings)
  ids.requestId = request.requestId as RequestId
  ids.player = playerId
  const bucket = bucketOf(playerId, buckets)
  const session = await readSession(db, bucket, hashToken(request.token))
  const token = checkToken(session, playerId, clock.now())
  if (token !== 'live') return refusedReply(token)
  const scale = settings.scales.get(request.currency)
  const [player, accounts] = await Promise.all([readPlayer(db, bucket, playerId), readAccounts(db, bucket, [playerId])])
  const account = accounts.find(({ currency }) => currency === request.currency)
  const mayUse = account !== undefined || player?.currencies.some((currency) => currency === request.currency)
  if (scale === undefined || !mayUse)
    return refusedReply(
      'invalid_request',
      'currency is not a currency of this player; it must be a currency that the player may use',
    )
  const amount = formatMoney(account?.balance ?? ZERO, scale)
  return acceptedReply(withAmount({ userId: request.userId, currency: request.currency }, amount))
}

/**
 * POST /payment/check: the last applied operation of a bet, with the stake of an open bet (P-4).
 */
export async function answerCheck(
  { db, buckets, settings, sharedBets }: UserQueryDeps,
  request: CheckRequest,
  ids: QueryIds,
  platform: string,
): Promise<WalletReply> {
  const player = resolvePlayer(request, settings)
  ids.betId = request.transactionId as BetId
  ids.player = player
  const named = { player, platform, betId: request.transactionId as BetId }
  const keys = sharedBets ? [named] : [named, { player, betId: toQualifiedBetId(named) }]
  const records = await readBets(db, bucketOf(player, buckets), keys)
  const bet = records.find((record) => sharedBets || record.platform === platform)?.bet
  if (bet === undefined || bet.kind === 'unknown' || bet.kind === 'refused' || bet.placement === undefined) {
    return refusedReply(
      'invalid_request',
      'transactionId names no bet of this player; it must name an accepted Place bet',
    )
  }
  const { stake, currency } = bet.placement
  const { type, amount } = {
    open: { type: OPERATIONS.place.type, amount: stake },
    settled: { type: OPERATIONS.settle.type, amount: bet.kind === 'settled' ? bet.settlement.payout : stake },
    cancelled: { type: OPERATIONS.rollback.type, amount: stake },
  }[bet.kind]
  const body = { transactionId: request.transactionId, currency, type, transactionTime: bet.since.toISOString() }
  return acceptedReply(withAmount(body, formatMoney(amount, requireScale(settings.scales, currency))))
}

/** JSON with the exact decimal, because a balance may have more digits than a double (M-1). */
function withAmount(body: object, amount: string): string {
  return `${JSON.stringify(body).slice(0, -1)},"amount":${amount}}`
}
