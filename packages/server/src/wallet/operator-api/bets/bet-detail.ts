/**
 * Detail of a bet with its history, and the lock on its result (L-3); bet-list.ts has the lists.
 */

import { CurrencySchema, RequestIdSchema, UserIdSchema } from '@purser/protocol/bet-request'
import { REPLY_CODES, type ReplyCode } from '@purser/protocol/reply-codes'
import type { Json } from '@purser/protocol/values/exact-json'
import { type Money, SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { statement } from '../../../core/database/db.ts'
import { notFound } from '../../../core/http/api/problem-details.ts'
import { type CarriedBalance, findArchiveFile, readCarriedBalances } from '../../ledger/carried-balance.ts'
import { readTransfers } from '../../ledger/transfer.ts'
import { BET_COLUMNS, type BetRecord, type BetRow, toRecord } from '../../store/bet-store.ts'
import { lockItem, recordWalletChanges } from '../../store/wallet-changes.ts'
import { formatTransferId } from '../money/cash-movement.ts'
import { renderTransfer, TransferSchema } from '../money/statement.ts'
import { findPlayer, formatAmount, type OperatorDeps, withPlayer } from '../operator-context.ts'
import { SiteSchema, StoredBetIdSchema, WalletBetStatusSchema } from '../operator-schemas.ts'
import { adjustmentProperties, readBetAdjustments } from './bet-adjustments.ts'

const optional = Type.Optional
const time = Type.String({ format: 'date-time' })
const decimal = Type.String({ pattern: SIGNED_DECIMAL_PATTERN })

export const BetSchema = Type.Object({
  userId: UserIdSchema,
  transactionId: StoredBetIdSchema,
  platform: optional(
    Type.String({ description: 'The platform whose secret signed the call, if the platform has a name (W-43).' }),
  ),
  status: WalletBetStatusSchema,
  currency: optional(CurrencySchema),
  stake: optional(decimal),
  stakePaidBy: optional(Type.Enum(['player', 'promotions'])),
  oddsPayout: optional({
    ...decimal,
    description:
      'Stake × coefficient × boosterCoefficient, rounded down. It is absent if the Place bet had no coefficient of 1 or more. A payout that exceeds it by more than one minor unit is the anomaly `payout_above_odds` (W-49).',
  }),
  payout: optional(decimal),
  resultType: optional(Type.Enum(['won', 'lost', 'refund', 'cashout'])),
  refusalCode: optional(Type.Integer()),
  locked: Type.Boolean(),
  site: optional(SiteSchema),
  placedAt: optional(time),
  firstSeenAt: time,
  changedAt: optional(time),
})

export const BetCallSchema = Type.Object({
  operation: Type.Enum(['place', 'settle', 'unsettle', 'rollback']),
  requestId: RequestIdSchema,
  outcome: Type.Enum(['applied', 'repeated', 'refused']),
  code: optional(Type.Integer()),
  amount: optional(decimal),
  currency: optional(CurrencySchema),
  resultType: optional(Type.String()),
  errorCode: optional(Type.Integer()),
  anomaly: optional(Type.String()),
  transactionTime: optional(time),
  at: time,
  transfers: Type.Array(TransferSchema),
  archived: optional(
    Type.Array(Type.Object({ transferId: Type.String(), file: Type.String(), account: Type.Integer() }), {
      description:
        'The files that contain archived transfers of the bet (O-13), with the number of the account in each.',
    }),
  ),
})

export const BetHistorySchema = Type.Object({
  ...BetSchema.properties,
  details: optional(Type.Unknown()),
  ...adjustmentProperties,
  history: Type.Array(BetCallSchema),
})

/** Returns the id unchanged, because the wallet compares ids exactly as received (I-7). */
export function toBetId(transactionId: string): BetId {
  return transactionId as BetId
}

const READ_BET = statement(
  'operator_read_bet',
  `select ${BET_COLUMNS}, (
     select d.details from purser.bet_details d
     where d.bucket = $1::int and d.first_seen_at = b.first_seen_at and d.bet_id = $3::text and d.player = $2::text
   ) as details
   from purser.bet b where bucket = $1::int and player = $2::text and bet_id = $3::text`,
)
export const CALL_COLUMNS = `player, bet_id, seq, operation, request_id, amount, currency, result_type, reason, outcome, refusal, anomaly, transfers,
  effect_at, at`
const READ_CALLS = statement(
  'operator_read_calls',
  `select ${CALL_COLUMNS} from purser.bet_call where bucket = $1::int and player = $2::text and bet_id = $3::text order by seq`,
)

export interface CallRow extends Record<string, unknown> {
  player: PlayerId
  bet_id: BetId
  seq: number
  operation: 'place' | 'settle' | 'unsettle' | 'rollback'
  request_id: string
  amount: Money | null
  currency: Currency | null
  result_type: string | null
  reason: number | null
  outcome: 'applied' | 'repeated' | 'refused'
  refusal: ReplyCode | null
  anomaly: string | null
  transfers: bigint[]
  effect_at: Date | null
  at: Date
}

/** Returns a bet with its calls, oldest first, and the transfers of each call. */
export async function getBet(deps: OperatorDeps, userId: string, transactionId: string) {
  const { player, bucket } = await findPlayer(deps, userId)
  const key = [bucket, player.id, toBetId(transactionId)]
  const [row] = await deps.db.userQueries.query<BetRow & { details: Json }>(READ_BET, key)
  if (row === undefined) throw notFound('the bet')
  const record = toRecord(row)
  const recorded = await deps.db.userQueries.query<CallRow>(READ_CALLS, key)
  const calls = withPlacement(record, recorded)
  const transfers = await readCallTransfers(deps, bucket, calls, row)
  const isMissing = (version: bigint) => !transfers.has(version)
  const carried = calls.some((call) => call.transfers.some(isMissing))
    ? await readCarriedBalances(deps.db.userQueries, bucket, player.id)
    : []
  const history = calls.map((call) => ({
    ...renderBetCall(deps, call),
    transfers: call.transfers.flatMap((version) => transfers.get(version) ?? []),
    ...renderArchivedTransfers(carried, row.currency, call.transfers.filter(isMissing)),
  }))
  return {
    ...renderWalletBet(deps, record),
    ...(row.details !== null && { details: row.details }),
    ...(await readBetAdjustments(deps, { player, bucket }, record.betId)),
    history,
  }
}

/**
 * All calls in order. The bet's row records the accepted Place bet, whose number is missing among
 * the calls. A row of its own adds only its anomaly.
 */
function withPlacement(record: BetRecord, recorded: readonly CallRow[]): CallRow[] {
  const isPlacement = ({ operation, outcome }: CallRow) => operation === 'place' && outcome === 'applied'
  const others = recorded.filter((call) => !isPlacement(call))
  const anomaly = recorded.find(isPlacement)?.anomaly ?? null
  return [...placementCall(record, others, anomaly), ...others].sort((a, b) => a.seq - b.seq)
}

function placementCall(record: BetRecord, others: readonly CallRow[], anomaly: string | null): CallRow[] {
  const { bet, player, betId, stakeVersion, placeRequestId } = record
  if (!('placement' in bet) || bet.placement === undefined || placeRequestId === null) return []
  const missing = others.findIndex(({ seq }, i) => seq !== i + 1)
  const seq = (missing === -1 ? others.length : missing) + 1
  const { stake, currency, placedAt } = bet.placement
  const rest = { result_type: null, reason: null, outcome: 'applied', refusal: null, anomaly } as const
  const transfers = stakeVersion === null ? [] : [stakeVersion]
  const call = {
    player,
    bet_id: betId,
    operation: 'place',
    request_id: placeRequestId,
    amount: stake,
    currency,
  } as const
  return [{ ...call, ...rest, seq, transfers, effect_at: placedAt, at: placedAt }]
}

/**
 * Transfers of the calls by number, read in one statement, because User data waits for the same
 * connections.
 */
async function readCallTransfers(
  deps: OperatorDeps,
  bucket: number,
  calls: readonly CallRow[],
  { player, currency }: BetRow,
): Promise<Map<bigint, Static<typeof TransferSchema>>> {
  const versions = calls.flatMap((call) => call.transfers)
  if (versions.length === 0 || currency === null) return new Map()
  const transfers = await readTransfers(deps.db.userQueries, bucket, player, currency, versions)
  return new Map(transfers.map((transfer) => [transfer.version, renderTransfer(deps, transfer)]))
}

function renderArchivedTransfers(
  carried: readonly CarriedBalance[],
  currency: Currency | null,
  versions: readonly bigint[],
) {
  if (currency === null || versions.length === 0) return {}
  const archived = versions.flatMap((version) => {
    const found = findArchiveFile(carried, currency, version)
    return found ? { transferId: formatTransferId(currency, version), file: found.file, account: found.place } : []
  })
  return archived.length === 0 ? {} : { archived }
}

export function renderBetCall(deps: OperatorDeps, row: CallRow) {
  const { operation, outcome, refusal, amount, currency, result_type, reason, anomaly, effect_at } = row
  return {
    operation,
    requestId: row.request_id,
    outcome,
    ...(refusal !== null && { code: REPLY_CODES[refusal].code }),
    ...(amount !== null && currency !== null && { amount: formatAmount(deps, amount, currency) }),
    ...(currency !== null && { currency }),
    ...(result_type !== null && { resultType: result_type }),
    ...(reason !== null && { errorCode: reason }),
    ...(anomaly !== null && { anomaly }),
    ...(effect_at !== null && { transactionTime: effect_at.toISOString() }),
    at: row.at.toISOString(),
  }
}

export function renderWalletBet(deps: OperatorDeps, { player, betId, platform, bet, locked, firstSeenAt }: BetRecord) {
  const placement = 'placement' in bet ? bet.placement : undefined
  return {
    userId: player,
    transactionId: betId,
    ...(platform !== '' && { platform }),
    status: bet.kind,
    ...(placement && {
      currency: placement.currency,
      stake: formatAmount(deps, placement.stake, placement.currency),
      stakePaidBy: placement.funder,
      ...(placement.oddsPayout !== null && {
        oddsPayout: formatAmount(deps, placement.oddsPayout, placement.currency),
      }),
      ...(placement.site !== '' && { site: placement.site }),
      placedAt: placement.placedAt.toISOString(),
    }),
    ...(bet.kind === 'settled' && {
      payout: formatAmount(deps, bet.settlement.payout, bet.placement.currency),
      resultType: bet.settlement.resultType,
    }),
    ...(bet.kind === 'refused' && { refusalCode: REPLY_CODES[bet.refusal].code }),
    locked,
    firstSeenAt: firstSeenAt.toISOString(),
    ...('since' in bet && { changedAt: bet.since.toISOString() }),
  }
}

const READ_LOCK = statement(
  'operator_read_lock',
  'select locked from purser.bet where bucket = $1::int and player = $2::text and bet_id = $3::text',
)
const LOCK_BET = statement(
  'operator_lock_bet',
  'update purser.bet set locked = $4::boolean where bucket = $1::int and player = $2::text and bet_id = $3::text',
)

/**
 * Sets or removes the lock on a bet's result. A locked result cannot change; the first settlement
 * of an open bet remains possible (L-3).
 */
export function setResultLock(
  deps: OperatorDeps,
  author: Actor,
  { userId, transactionId }: { userId: string; transactionId: string },
  locked: boolean,
): Promise<void> {
  return withPlayer(deps, userId, async (tx, { player, bucket }) => {
    const key = [bucket, player.id, toBetId(transactionId)]
    const [before] = await tx.query<{ locked: boolean }>(READ_LOCK, key)
    if (before === undefined) throw notFound('the bet')
    const change = { on: { userId, transactionId }, before, after: { locked }, at: deps.clock.now() }
    const changes = before.locked === locked ? [] : [lockItem(locked, userId, transactionId)]
    await Promise.all([
      tx.execute(LOCK_BET, [...key, locked]),
      author.record(tx, change),
      recordWalletChanges(tx, bucket, changes, change.at),
    ])
  })
}
