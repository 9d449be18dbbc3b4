/** Events of the wallet's feed in the form in which the API returns them (W-40). */

import { CurrencySchema, RequestIdSchema, UserIdSchema } from '@purser/protocol/bet-request'
import { REPLY_CODES, type ReplyCode } from '@purser/protocol/reply-codes'
import { money, SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import type { Currency } from '@purser/protocol/wire-ids'
import { type TSchema, Type } from 'typebox'
import type { Feed, FeedEvent } from '../../core/change-feed/change-feed.ts'
import type { EventSubject } from '../../core/change-feed/change-notifier.ts'
import type { StoredEvent } from '../../core/change-feed/change-store.ts'
import { eventEnvelope, type FeedRoutes, listEventNames, toEventEnvelope } from '../../core/change-feed/feed-routes.ts'
import type { WebhookMessage } from '../../core/webhooks/webhook-signature.ts'
import type {
  BalanceMembers,
  BetEvent,
  BetMembers,
  LockMembers,
  PlayerMembers,
  SessionMembers,
} from '../store/wallet-changes.ts'
import { formatTransferId, ReferenceSchema } from './money/cash-movement.ts'
import { formatAmount, type OperatorDeps } from './operator-context.ts'
import { OPERATOR_KEY, StoredBetIdSchema } from './operator-schemas.ts'

const optional = Type.Optional
const decimal = Type.String({ pattern: SIGNED_DECIMAL_PATTERN })
const time = Type.String({ format: 'date-time' })
const ofBet = { userId: UserIdSchema, transactionId: StoredBetIdSchema, requestId: RequestIdSchema }
const ofMoney = { ...ofBet, currency: CurrencySchema }

function changeSchema(event: string | readonly string[], description: string, members: Record<string, TSchema>) {
  return Type.Object({ ...eventEnvelope, event: Type.Enum([event].flat(), { description }), ...members })
}

const PaidBy = Type.Enum(['player', 'promotions'])
const ResultType = Type.Enum(['won', 'lost', 'refund', 'cashout'])
const Session = Type.Object({
  userId: UserIdSchema,
  sessionId: Type.String({ description: 'The SHA-256 of the token in base64url. The feed never contains the token.' }),
  currency: CurrencySchema,
  expiresAt: time,
})
const ofPlayer = {
  userId: UserIdSchema,
  status: Type.Enum(['active', 'blocked']),
  currency: CurrencySchema,
  currencies: Type.Array(CurrencySchema),
  selfExcludedUntil: optional(time),
  verified: optional(Type.Boolean()),
}

/** The member `event` selects the variant. */
export const WalletChangeSchema = Type.Union([
  changeSchema('bet.placed', 'A Place bet was accepted; the bet is open.', {
    bet: Type.Object({ ...ofMoney, stake: decimal, stakePaidBy: PaidBy }),
  }),
  changeSchema(
    ['bet.settled', 'bet.resettled'],
    'The bet has this result now. `resettled` means that it replaces an earlier result. No balance changes if only the type differs.',
    { bet: Type.Object({ ...ofMoney, payout: decimal, resultType: ResultType }) },
  ),
  changeSchema('bet.unsettled', 'The result was withdrawn, and the bet is open again.', { bet: Type.Object(ofMoney) }),
  changeSchema(
    'bet.rolled_back',
    'The bet is cancelled. Without currency and refund, it was never placed, and a later Place bet is declined.',
    {
      bet: Type.Object({
        ...ofBet,
        currency: optional(CurrencySchema),
        refund: optional(decimal),
        errorCode: Type.Integer(),
      }),
    },
  ),
  changeSchema('bet.refused', 'A Place bet was declined permanently (I-3) with this code.', {
    bet: Type.Object({ ...ofMoney, stake: decimal, code: Type.Integer() }),
  }),
  changeSchema(['bet.locked', 'bet.unlocked'], "The operator locked or unlocked the bet's result (L-3).", {
    bet: Type.Object({ userId: UserIdSchema, transactionId: StoredBetIdSchema }),
  }),
  changeSchema(
    'balance.changed',
    'The balance is this now. If a bet changed it, this event directly follows the event of the bet.',
    {
      balance: Type.Object({
        userId: UserIdSchema,
        currency: CurrencySchema,
        change: decimal,
        amount: { ...decimal, description: 'The balance after the transfer.' },
        transferId: Type.String({
          description: 'The number of the last transfer in this balance. It rises with each change.',
        }),
        cause: Type.Enum([
          ...['bet.placed', 'bet.settled', 'bet.resettled', 'bet.unsettled', 'bet.rolled_back'],
          ...['deposit', 'withdrawal', 'adjustment', 'opening'],
        ]),
        transactionId: optional(StoredBetIdSchema),
        reference: optional(ReferenceSchema),
      }),
    },
  ),
  changeSchema('player.created', 'A player was created.', { player: Type.Object(ofPlayer) }),
  changeSchema(
    'player.changed',
    "Members of the player have changed. The feed contains no personal data: it names such members, and the player's resource has their values.",
    { player: Type.Object({ ...ofPlayer, changed: Type.Array(Type.String()) }) },
  ),
  changeSchema('session.opened', 'A session was started.', { session: Session }),
  changeSchema(
    'session.ended',
    'The session was ended early. A session that expires has no event: see expiresAt of its session.opened.',
    { session: Session },
  ),
])

export const WALLET_EVENTS = listEventNames(WalletChangeSchema)

/** Returns the webhook message for an event of the feed. */
export function toWalletWebhookMessage(deps: Scales, change: FeedEvent): WebhookMessage {
  const data = renderWalletChange(deps, change)
  // The number alone is not unique: after a failover to a standby without all data, another event
  // can get it.
  return {
    id: `evt_${data.id}_${change.at.getTime()}`,
    body: JSON.stringify({ type: data.event, timestamp: data.at, data }),
  }
}

export function playerOfFeedEvent({ event: [, player] }: FeedEvent): string {
  return String(player)
}

/** Returns the ids of the event's player and, for an event of a bet, of the bet. */
export function toWalletSubject([name, ...members]: StoredEvent): EventSubject {
  const [player] = members
  const [bet] = name.startsWith('bet.')
    ? members.slice(1)
    : name === 'balance.changed'
      ? members.slice(BALANCE_BET)
      : []
  return { player: String(player), ...(typeof bet === 'string' && { bet }) }
}

/** Index of `betId` among the members of a balance change. */
const BALANCE_BET = 6

export function createWalletFeedRoutes(deps: Pick<OperatorDeps, 'scales'> & { readonly feed: Feed }): FeedRoutes {
  return {
    feed: deps.feed,
    event: WalletChangeSchema,
    key: OPERATOR_KEY,
    tag: 'Operator: changes',
    show: (event) => renderWalletChange(deps, event),
  }
}

type Scales = Pick<OperatorDeps, 'scales'>

/** Renders a stored event; store/wallet-changes.ts defines its members. */
export function renderWalletChange(deps: Scales, change: FeedEvent) {
  const [event, ...members] = change.event as readonly [string, ...unknown[]]
  return { ...toEventEnvelope(change), ...renderSubject(deps, event, members) }
}

function renderSubject(deps: Scales, event: string, members: readonly unknown[]) {
  if (event === 'balance.changed') return { balance: renderBalanceEvent(deps, members as unknown as BalanceMembers) }
  if (event.startsWith('player.')) return { player: renderPlayerEvent(event, members as unknown as PlayerMembers) }
  if (event.startsWith('session.')) return { session: renderSessionEvent(members as unknown as SessionMembers) }
  if (event.endsWith('locked')) return { bet: renderLockEvent(members as unknown as LockMembers) }
  return { bet: renderBetEvent(deps, event as BetEvent, members as unknown as BetMembers) }
}

function renderBetEvent(deps: Scales, event: BetEvent, members: BetMembers) {
  const [userId, transactionId, requestId, currency, amount, detail] = members
  const shown = { userId, transactionId, requestId, ...(currency !== null && { currency }) }
  const sum = currency !== null && amount !== null ? formatMinorUnits(deps, amount, currency) : undefined
  switch (event) {
    case 'bet.placed':
      return { ...shown, stake: sum, stakePaidBy: detail }
    case 'bet.settled':
    case 'bet.resettled':
      return { ...shown, payout: sum, resultType: detail }
    case 'bet.unsettled':
      return shown
    case 'bet.rolled_back':
      return { ...shown, ...(sum !== undefined && { refund: sum }), errorCode: Number.parseInt(detail ?? '', 10) }
    case 'bet.refused':
      return { ...shown, stake: sum, code: REPLY_CODES[detail as ReplyCode].code }
    default:
      return event satisfies never
  }
}

function renderLockEvent([userId, transactionId]: LockMembers) {
  return { userId, transactionId }
}

function renderBalanceEvent(deps: Scales, members: BalanceMembers) {
  const [userId, currency, change, balance, version, cause, transactionId, reference] = members
  return {
    ...{
      userId,
      currency,
      change: formatMinorUnits(deps, change, currency),
      amount: formatMinorUnits(deps, balance, currency),
    },
    ...{ transferId: formatTransferId(currency as Currency, BigInt(version)), cause },
    ...(transactionId !== null && { transactionId }),
    ...(reference !== null && { reference }),
  }
}

function renderPlayerEvent(event: string, members: PlayerMembers) {
  const [userId, status, currency, currencies, selfExcludedUntil, verified, changed] = members
  return {
    ...{ userId, status, currency, currencies },
    ...(selfExcludedUntil !== null && { selfExcludedUntil }),
    ...(verified !== null && { verified }),
    ...(event === 'player.changed' && { changed }),
  }
}

function renderSessionEvent([userId, sessionId, currency, expiresAt]: SessionMembers) {
  return { userId, sessionId, currency, expiresAt }
}

function formatMinorUnits(deps: Scales, minor: string, currency: string): string {
  return formatAmount(deps, money(BigInt(minor)), currency as Currency)
}
