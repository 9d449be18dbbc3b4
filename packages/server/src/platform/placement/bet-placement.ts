/**
 * Placement of a bet: validate the request, commit the intent, call the partner, and record the
 * answer after the control stage.
 */
import { createHash } from 'node:crypto'
import { toNotCalledAnswer, type WalletAnswer } from '@purser/protocol/client/wallet-client'
import { isObject } from '@purser/protocol/values/exact-json'
import {
  formatMoney,
  isCurrency,
  isExactNumber,
  type Money,
  parseDecimal,
  requireScale,
} from '@purser/protocol/values/money'
import { LIMITS } from '@purser/protocol/wire-limits'
import { environment } from '@purser/runtime/environment'
import type { Span } from '@purser/runtime/tracing'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { recordScales } from '../../core/database/schema/currency-scales.ts'
import type { FlowDeps } from '../bets/bet-flow.ts'
import type { FrameSession, StoredFrameSession } from '../bets/frame-session.ts'
import { type CallEnd, type CircuitBreakers, toCallEnd } from '../circuit-breaker.ts'
import type { Partners } from '../partner-clients.ts'
import { isRefusal, type PlatformRefusal, toInvalidRequest, toNotFound, toRefusal } from '../platform-refusal.ts'
import { computePayout, multiplyOdds, type Odds, parseOdds } from '../store/odds.ts'
import { type PlacementOutcome, readSubmission } from '../store/placement-store.ts'
import type { BetStatus, PlatformBet, Selection } from '../store/platform-bet.ts'
import type { Placements } from './placement-batch.ts'
import type { IntentOutcome, PendingPlacement, PlacementIntent } from './placement-intent.ts'

/** An unchecked request. */
export interface BetPlacementRequest {
  readonly frameSessionId: string
  /** Decimal text. */
  readonly amount: string
  readonly selections: readonly RequestedSelection[]
  readonly ticketType?: 'single' | 'express'
  readonly boosterCoefficient?: string | number
  readonly bonusId?: number | null
  readonly bonusTemplateId?: number | null
  readonly bonusAmount?: string | null
  readonly subPartnerId?: string | null
  readonly ip?: string
  readonly info?: string
  readonly idempotencyKey?: string
}

/** Has the members of the interface's metadata item. */
export interface RequestedSelection extends Record<string, unknown> {
  readonly eventId: string
  readonly outcomeId: string
  readonly coefficient: string | number
}

export interface PlaceBetResult {
  readonly betId: string
  readonly status: BetStatus
  readonly reason: string | null
}

export interface PlaceDeps extends FlowDeps {
  readonly partners: Partners
  readonly breakers: CircuitBreakers
  readonly placements: Placements
  /** Span of the API call; undefined without tracing. */
  readonly span?: Span | undefined
  /** Called when deliveries are due. */
  decided(): void
}

/**
 * A bet on an ended event is declined before the partner is called (C-11). The control stage finds
 * an event that ends later (C-3).
 */
const EVENT_ENDED = 'event ended'
/**
 * While the circuit breaker is open, the user gets this answer at once and not after 5 s (C-10).
 */
const PARTNER_UNAVAILABLE = 'partner unavailable'

/** An invalid request is rejected before any write. */
export async function placeBet(
  deps: PlaceDeps,
  author: Actor,
  request: BetPlacementRequest,
): Promise<PlaceBetResult | PlatformRefusal> {
  const { frameSessionId } = request
  const eventIds = request.selections.map(({ eventId }) => eventId)
  const { session, isOver } = await deps.placements.loadContext({ frameSessionId, eventIds })
  if (session === undefined) return toNotFound('the frame session')
  const slip = parseBetSlip(deps, session, request)
  if (isRefusal(slip)) return slip
  await recordScale(deps, session)
  const submission = {
    frameSessionId: session.frameSessionId,
    idempotencyKey: request.idempotencyKey ?? null,
    requestHash: hashRequest(request),
  }
  const placed = await runPlacement(deps, { ...slip, submission, author }, isOver)
  if (placed === 'key taken') return answerDuplicate(deps, session.partnerId, request, submission.requestHash)
  return { betId: slip.bet.betId, ...placed }
}

/**
 * While the circuit breaker is open, the partner gets only probes (C-10). The answer also counts
 * for the breaker of the deliveries.
 */
async function runPlacement(
  deps: PlaceDeps,
  intent: PlacementIntent,
  isOver: boolean,
): Promise<PlacementOutcome | 'key taken'> {
  if (isOver) return decline(deps, intent, EVENT_ENDED)
  const breaker = deps.breakers.of(intent.bet.partnerId)
  const now = deps.clock.now().getTime()
  if (breaker.allowance('users', now) === 0) return decline(deps, intent, PARTNER_UNAVAILABLE)
  breaker.started('users', now)
  let end: CallEnd | undefined
  try {
    const opened = await deps.placements.commitIntent(intent)
    if (opened.kind !== 'placing') return outcomeWithoutCall(opened)
    const { placing } = opened
    const { answer, startedAt, isCalled } = await callPartner(deps, placing)
    if (isCalled) end = toCallEnd(answer, deps.clock.now().getTime())
    const placed = await deps.placements.decideAnswer({ placing, answer, startedAt })
    if (placed.status === 'cancelled') deps.decided()
    return placed
  } finally {
    breaker.ended('users', end)
  }
}

async function decline(
  { placements }: PlaceDeps,
  intent: PlacementIntent,
  reason: string,
): Promise<PlacementOutcome | 'key taken'> {
  const bet: PlatformBet = { ...intent.bet, token: '', status: 'declined', reason, deliveries: 0 }
  return outcomeWithoutCall(await placements.commitIntent({ ...intent, bet }))
}

function outcomeWithoutCall(opened: IntentOutcome): PlacementOutcome | 'key taken' {
  switch (opened.kind) {
    case 'declined':
      return opened.placed
    case 'key_taken':
      return 'key taken'
    case 'placing':
      throw new Error('a declined bet cannot be placed')
    default:
      return opened satisfies never
  }
}

async function callPartner(
  { partners, clock, span }: PlaceDeps,
  { bet, body, startBefore }: PendingPlacement,
): Promise<{ answer: WalletAnswer; startedAt: Date; isCalled: boolean }> {
  const client = await partners.client(bet.partnerId, 'users')
  if (client === undefined) throw new Error('a frame session has no partner')
  const startedAt = clock.now()
  const isCalled = environment.monotonicNow() <= startBefore
  const answer = isCalled
    ? await client.call('place', body, bet.betId, span && { below: span })
    : toNotCalledAnswer('no time was left for the call')
  return { answer, startedAt, isCalled }
}

/**
 * The scale of a currency is recorded before its first amount (M-5). Usually the session already
 * shows it.
 */
async function recordScale({ db, scales }: PlaceDeps, { currency, scale }: StoredFrameSession): Promise<void> {
  if (scale !== requireScale(scales, currency))
    await db.transaction((tx) => recordScales(tx, 'platform', [currency], scales))
}

async function answerDuplicate(
  { db }: PlaceDeps,
  partnerId: string,
  { idempotencyKey }: BetPlacementRequest,
  requestHash: string,
): Promise<PlaceBetResult | PlatformRefusal> {
  const earlier = idempotencyKey === undefined ? undefined : await readSubmission(db, partnerId, idempotencyKey)
  if (earlier === undefined || earlier.request_hash !== requestHash)
    return toRefusal('idempotency_key_reused', 'the idempotency key belongs to another bet: use a new key')
  if (earlier.status === 'placing')
    return toRefusal(
      'still_running',
      'the bet with this idempotency key is still being placed: repeat the request later',
    )
  const { bet_id: betId, status, reason } = earlier
  const answered = status === 'settled' ? 'accepted' : status // settled later: the first answer was "accepted"
  return { betId, status: answered, reason }
}

/** The hash does not depend on the order of the members. */
function hashRequest(request: BetPlacementRequest): string {
  return createHash('sha256').update(JSON.stringify(request, sortMembers)).digest('base64url')
}

function sortMembers(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function parseBetSlip(deps: PlaceDeps, session: FrameSession, request: BetPlacementRequest): BetSlip | PlatformRefusal {
  const selections = toSelections(request.selections)
  if (isRefusal(selections)) return selections
  const bet = toBet(deps, session, request, selections)
  if (isRefusal(bet)) return bet
  const bonusAmount = toBonusAmount(deps, session, request)
  if (isRefusal(bonusAmount)) return bonusAmount
  const { ip, info, subPartnerId = null } = request
  const extras = { ...(ip !== undefined && { ip }), ...(info !== undefined && { info }), subPartnerId, bonusAmount }
  return { bet, selections, extras }
}

type BetSlip = Pick<PlacementIntent, 'bet' | 'selections' | 'extras'>

/** Two outcomes of one event depend on each other, so their odds cannot be multiplied (C-11). */
function toSelections(request: readonly RequestedSelection[]): Selection[] | PlatformRefusal {
  const selections: Selection[] = []
  for (const [i, { eventId, outcomeId, coefficient, ...details }] of request.entries()) {
    const odds = parseOdds(coefficient)
    if (odds === undefined || odds < LOWEST_ODDS)
      return toInvalidRequest(`/selections/${i}/coefficient`, 'must be at least 1.01 with at most six decimals')
    selections.push({ eventId, outcomeId, odds, details })
  }
  const seen = new Set<string>()
  const twice = selections.findIndex(({ eventId }) => seen.size === seen.add(eventId).size)
  if (twice < 0) return selections
  return toInvalidRequest(`/selections/${twice}/eventId`, 'is listed twice: an express has one outcome per event')
}

/** The lowest valid odds (C-11), in millionths. */
const LOWEST_ODDS = 1_010_000n
/** In millionths. */
const NO_BOOST = 1_000_000n as Odds

function toBet(
  { scales, clock }: PlaceDeps,
  session: FrameSession,
  request: BetPlacementRequest,
  selections: readonly Selection[],
): PlatformBet | PlatformRefusal {
  const { partnerId, token, userId, operatorUser, currency } = session
  if (!isCurrency(scales, currency))
    return toInvalidRequest('/frameSessionId', `is in ${currency}, which is not a known currency`)
  const bonusId = request.bonusId ?? null
  const stake = parseAmount(request.amount, requireScale(scales, currency))
  if (stake === undefined || (stake === 0n && !(bonusId !== null && bonusId > 0)))
    return toInvalidRequest(
      '/amount',
      `must be an amount of ${currency}, more than 0 unless there is a bonusId above 0`,
    )
  const booster = request.boosterCoefficient === undefined ? null : parseOdds(request.boosterCoefficient)
  if (booster === undefined)
    return toInvalidRequest('/boosterCoefficient', 'must be more than 0 with at most six decimals')
  if (booster !== null && booster !== NO_BOOST && selections.length === 1)
    return toInvalidRequest('/boosterCoefficient', 'must be 1 or absent for one selection: a boost needs an express')
  const odds = multiplyOdds(selections.map((s) => s.odds))
  const paid = odds && multiplyOdds([odds, booster ?? NO_BOOST])
  if (odds === undefined || paid === undefined) return toInvalidRequest('/selections', 'have a payout above the limit')
  if (computePayout(stake, paid) > MAX_WIN)
    return toInvalidRequest('/amount', 'could win more than the largest possible payout')
  const ticketType = request.ticketType ?? (selections.length === 1 ? 'single' : 'express')
  if ((ticketType === 'single') !== (selections.length === 1))
    return toInvalidRequest('/ticketType', 'a single has one selection, an express several')
  const placedAt = clock.now()
  const identity = { betId: newBetId(placedAt), partnerId, userId, operatorUser, currency, token }
  const terms = {
    stake: stake as Money,
    ticketType,
    odds,
    booster,
    bonusId,
    bonusTemplateId: request.bonusTemplateId ?? null,
  }
  return {
    ...identity,
    ...terms,
    status: 'placing',
    reason: null,
    result: null,
    acknowledgedStatus: null,
    acknowledgedResult: null,
    takenBackAt: null,
    deliveries: 1,
    placedAt,
  }
}

/**
 * Largest win in minor units. The wire carries every amount up to this one as an exact number
 * (M-2).
 */
const MAX_WIN = 10n ** BigInt(LIMITS.amountDigits) - 1n

/** Undefined unless the wire can carry the text as an exact amount of the currency (M-1, M-2). */
export function parseAmount(written: string, scale: number): Money | undefined {
  const amount = parseDecimal(written, scale)
  return amount !== undefined && isExactNumber(formatMoney(amount, scale)) ? amount : undefined
}

/** In the wire's form, because a user's text such as "05.5" is not always a JSON number. */
function toBonusAmount({ scales }: PlaceDeps, { currency }: FrameSession, { bonusAmount }: BetPlacementRequest) {
  if (bonusAmount === undefined || bonusAmount === null) return null
  const scale = requireScale(scales, currency)
  const amount = parseAmount(bonusAmount, scale)
  if (amount === undefined) return toInvalidRequest('/bonusAmount', `must be an amount of ${currency}`)
  return formatMoney(amount, scale)
}

/**
 * A bet id is a random UUID whose first 48 bits are the time in milliseconds; 74 bits stay random.
 *
 * Bets that were placed together therefore share index pages, here and in the wallets. The bets of
 * an event, which are settled in the order of their ids, are read and written page by page. The id
 * has the form of version 4, as some partners may expect.
 */
export function newBetId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-${environment.uuid().slice(14)}`
}
