/** The wallet's feed as it is shown (W-40): what became of bets, balances, players and sessions. */
import { type TSchema, Type } from 'typebox'
import type { StoredEvent } from '../feed/change-store.ts'
import type { Feed, FeedEvent } from '../feed/feed.ts'
import type { Subject } from '../feed/live.ts'
import { envelope, eventNames, type FeedRoutes, showEnvelope } from '../feed/routes.ts'
import type { Message } from '../feed/webhooks/signature.ts'
import { CurrencySchema, RequestIdSchema, UserIdSchema } from '../protocol/bet-request.ts'
import { REPLY_CODES, type ReplyCode } from '../protocol/codes.ts'
import type { Currency } from '../protocol/ids.ts'
import { money, SIGNED_DECIMAL_PATTERN } from '../protocol/money.ts'
import type {
  BalanceMembers,
  BetEvent,
  BetMembers,
  LockMembers,
  PlayerMembers,
  SessionMembers,
} from '../wallet/store/change.ts'
import { ReferenceSchema, transferId } from './movement.ts'
import { type OperatorDeps, show } from './operator.ts'
import { BetIdSchema, KEY } from './shapes.ts'

const optional = Type.Optional
const decimal = Type.String({ pattern: SIGNED_DECIMAL_PATTERN })
const time = Type.String({ format: 'date-time' })
const ofBet = { userId: UserIdSchema, transactionId: BetIdSchema, requestId: RequestIdSchema }
const ofMoney = { ...ofBet, currency: CurrencySchema }

function change(event: string | readonly string[], description: string, members: Record<string, TSchema>) {
  return Type.Object({ ...envelope, event: Type.Enum([event].flat(), { description }), ...members })
}

const PaidBy = Type.Enum(['player', 'promotions'])
const ResultType = Type.Enum(['won', 'lost', 'refund', 'cashout'])
const Session = Type.Object({
  userId: UserIdSchema,
  sessionId: Type.String({ description: 'SHA-256 of the token, base64url; the token is in no feed.' }),
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

/** By the name of the event: `event` says which one it is. */
export const ChangeSchema = Type.Union([
  change('bet.placed', 'A Place bet was accepted; the bet is open.', {
    bet: Type.Object({ ...ofMoney, stake: decimal, stakePaidBy: PaidBy }),
  }),
  change(
    ['bet.settled', 'bet.resettled'],
    'The bet has this result from now on. resettled: in the place of another one; when only the type differs no balance changes.',
    { bet: Type.Object({ ...ofMoney, payout: decimal, resultType: ResultType }) },
  ),
  change('bet.unsettled', 'The result was taken back; the bet is open again.', { bet: Type.Object(ofMoney) }),
  change(
    'bet.rolled_back',
    'The bet is cancelled. Without currency and refund: it never was placed, and a Place bet that comes now is refused.',
    {
      bet: Type.Object({
        ...ofBet,
        currency: optional(CurrencySchema),
        refund: optional(decimal),
        errorCode: Type.Integer(),
      }),
    },
  ),
  change('bet.refused', 'A Place bet was refused for good (I-3), with this code.', {
    bet: Type.Object({ ...ofMoney, stake: decimal, code: Type.Integer() }),
  }),
  change(['bet.locked', 'bet.unlocked'], "The operator has locked the bet's result, or unlocked it (L-3).", {
    bet: Type.Object({ userId: UserIdSchema, transactionId: BetIdSchema }),
  }),
  change('balance.changed', 'The balance is this from now on. Of a bet it comes right behind the event of the bet.', {
    balance: Type.Object({
      userId: UserIdSchema,
      currency: CurrencySchema,
      change: decimal,
      amount: { ...decimal, description: 'The balance after it.' },
      transferId: Type.String({ description: 'The last transfer behind it; its number rises with each change.' }),
      cause: Type.Enum([
        ...['bet.placed', 'bet.settled', 'bet.resettled', 'bet.unsettled', 'bet.rolled_back'],
        ...['deposit', 'withdrawal', 'adjustment', 'opening'],
      ]),
      transactionId: optional(BetIdSchema),
      reference: optional(ReferenceSchema),
    }),
  }),
  change('player.created', 'There is a new player.', { player: Type.Object(ofPlayer) }),
  change(
    'player.changed',
    'Members of the player have changed. Nothing personal is in the feed: read the player for what is only named here.',
    { player: Type.Object({ ...ofPlayer, changed: Type.Array(Type.String()) }) },
  ),
  change('session.opened', 'A token was given out.', { session: Session }),
  change(
    'session.ended',
    'The token was ended before its time. One that runs out has no event: see expiresAt of its session.opened.',
    { session: Session },
  ),
])

/** The names of all of them. */
export const EVENTS = eventNames(ChangeSchema)

/** What a webhook sends of an event; its player's events stay in order. */
export function messageOf(deps: Scales, change: FeedEvent): Message {
  const data = showChange(deps, change)
  // The number alone comes again for another event after a failover to a standby that had not everything.
  return {
    id: `evt_${data.id}_${change.at.getTime()}`,
    body: JSON.stringify({ type: data.event, timestamp: data.at, data }),
  }
}

export function playerOf({ event: [, player] }: FeedEvent): string {
  return String(player)
}

/** Ids only: whose it is, and the bet if it is about one. */
export function subjectOf([name, ...members]: StoredEvent): Subject {
  const [player] = members
  const [bet] = name.startsWith('bet.')
    ? members.slice(1)
    : name === 'balance.changed'
      ? members.slice(BALANCE_BET)
      : []
  return { player: String(player), ...(typeof bet === 'string' && { bet }) }
}

/** The place of `betId` among the members of a balance's change. */
const BALANCE_BET = 6

export function feedRoutes(deps: Pick<OperatorDeps, 'scales'> & { readonly feed: Feed }): FeedRoutes {
  return {
    feed: deps.feed,
    event: ChangeSchema,
    key: KEY,
    tag: 'Operator: changes',
    show: (event) => showChange(deps, event),
  }
}

type Scales = Pick<OperatorDeps, 'scales'>

/** What the event is about; its members are as store/change.ts writes them. */
export function showChange(deps: Scales, change: FeedEvent) {
  const [event, ...members] = change.event as readonly [string, ...unknown[]]
  return { ...showEnvelope(change), ...aboutOf(deps, event, members) }
}

function aboutOf(deps: Scales, event: string, members: readonly unknown[]) {
  if (event === 'balance.changed') return { balance: showBalance(deps, members as unknown as BalanceMembers) }
  if (event.startsWith('player.')) return { player: showPlayer(event, members as unknown as PlayerMembers) }
  if (event.startsWith('session.')) return { session: showSession(members as unknown as SessionMembers) }
  if (event.endsWith('locked')) return { bet: showLock(members as unknown as LockMembers) }
  return { bet: showBet(deps, event as BetEvent, members as unknown as BetMembers) }
}

function showBet(deps: Scales, event: BetEvent, members: BetMembers) {
  const [userId, transactionId, requestId, currency, amount, detail] = members
  const shown = { userId, transactionId, requestId, ...(currency !== null && { currency }) }
  const sum = currency !== null && amount !== null ? decimalOf(deps, amount, currency) : undefined
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

function showLock([userId, transactionId]: LockMembers) {
  return { userId, transactionId }
}

function showBalance(deps: Scales, members: BalanceMembers) {
  const [userId, currency, change, balance, version, cause, transactionId, reference] = members
  return {
    ...{ userId, currency, change: decimalOf(deps, change, currency), amount: decimalOf(deps, balance, currency) },
    ...{ transferId: transferId(currency as Currency, BigInt(version)), cause },
    ...(transactionId !== null && { transactionId }),
    ...(reference !== null && { reference }),
  }
}

function showPlayer(event: string, members: PlayerMembers) {
  const [userId, status, currency, currencies, selfExcludedUntil, verified, changed] = members
  return {
    ...{ userId, status, currency, currencies },
    ...(selfExcludedUntil !== null && { selfExcludedUntil }),
    ...(verified !== null && { verified }),
    ...(event === 'player.changed' && { changed }),
  }
}

function showSession([userId, sessionId, currency, expiresAt]: SessionMembers) {
  return { userId, sessionId, currency, expiresAt }
}

function decimalOf(deps: Scales, minor: string, currency: string): string {
  return show(deps, money(BigInt(minor)), currency as Currency)
}
