/** Placing a bet from beginning to end: commit the intent, call the partner, record the answer, take the last look. */
import { createHash } from 'node:crypto'
import { recordScales } from '../../db/scales.ts'
import type { Author } from '../../people/actions.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { formatMoney, isCurrency, isExactNumber, type Money, parseDecimal, scaleOf } from '../../protocol/money.ts'
import type { Span } from '../../runtime/tracing.ts'
import { world } from '../../runtime/world.ts'
import { type Answer, notCalled } from '../../wallet-client/wallet-client.ts'
import { type Breakers, type Ended, endedBy } from '../delivery/breaker.ts'
import type { Partners } from '../partner.ts'
import type { BetStatus, PlatformBet, Selection } from './bet.ts'
import type { FlowDeps } from './bet-flow.ts'
import { newBetId } from './bet-id.ts'
import type { FrameSession, KeptSession } from './frame-session.ts'
import type { PlaceExtras } from './message.ts'
import { multiplyOdds, type Odds, parseOdds, payoutAt } from './odds.ts'
import type { Intent, Opened, Placing } from './opening.ts'
import type { Placements } from './placing.ts'
import { type Placed, readSubmission } from './placing-store.ts'

/** A bet as it is asked for; everything is checked here. */
export interface Wanted {
  readonly frameSessionId: string
  /** Decimal text. */
  readonly amount: string
  readonly selections: readonly WantedSelection[]
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

/** The members of the interface's metadata item. */
export interface WantedSelection extends Record<string, unknown> {
  readonly eventId: string
  readonly outcomeId: string
  readonly coefficient: string | number
}

export interface PlacedBet {
  readonly betId: string
  readonly status: BetStatus
  readonly reason: string | null
}

/** What a wish came to. */
export type PlaceOutcome =
  | { readonly kind: 'placed'; readonly bet: PlacedBet }
  | { readonly kind: 'no_such_session' }
  /** What is wrong with it, as a JSON pointer and a sentence. */
  | { readonly kind: 'bad'; readonly pointer: string; readonly detail: string }
  /** The idempotency key belongs to another bet, or its bet is being placed right now. */
  | { readonly kind: 'key_differs' | 'key_running' }

/** Thrown where a wish is read, caught where its reading began. */
class BadBet extends Error {
  readonly pointer: string
  constructor(pointer: string, detail: string) {
    super(detail)
    this.pointer = pointer
  }
}

export interface PlaceDeps extends FlowDeps {
  readonly partners: Partners
  readonly breakers: Breakers
  readonly placements: Placements
  /** Of the call that asks for the bet, where tracing is on. */
  readonly span?: Span | undefined
  /** Told when something was decided that must be delivered. */
  decided(): void
}

/** C-11: what is known to be over is not offered to the partner. What ends from now on, the last look finds (C-3). */
const EVENT_ENDED = 'event ended'
/** C-10: a user does not wait 5 s to learn that nobody answers. */
const PARTNER_UNAVAILABLE = 'partner unavailable'

export async function placeBet(deps: PlaceDeps, author: Author, wanted: Wanted): Promise<PlaceOutcome> {
  try {
    return await placeGood(deps, author, wanted)
  } catch (error) {
    if (error instanceof BadBet) return { kind: 'bad', pointer: error.pointer, detail: error.message }
    throw error
  }
}

/** Throws BadBet, before anything is written. */
async function placeGood(deps: PlaceDeps, author: Author, wanted: Wanted): Promise<PlaceOutcome> {
  const { frameSessionId } = wanted
  const eventIds = wanted.selections.map(({ eventId }) => eventId)
  const { session, isOver } = await deps.placements.look({ frameSessionId, eventIds })
  if (session === undefined) return { kind: 'no_such_session' }
  const selections = wanted.selections.map(toSelection)
  requireOnePerEvent(selections)
  const bet = toBet(deps, session, wanted, selections)
  await keepScale(deps, session)
  const submission = {
    frameSessionId: session.frameSessionId,
    idempotencyKey: wanted.idempotencyKey ?? null,
    requestHash: hashOf(wanted),
  }
  const extras: PlaceExtras = {
    ...(wanted.ip !== undefined && { ip: wanted.ip }),
    ...(wanted.info !== undefined && { info: wanted.info }),
    subPartnerId: wanted.subPartnerId ?? null,
    bonusAmount: toBonusAmount(deps, session, wanted),
  }
  const placed = await place(deps, { bet, selections, extras, submission, author }, isOver)
  if (placed === 'key taken') return answerRepeat(deps, session.partnerId, wanted, submission.requestHash)
  return { kind: 'placed', bet: { betId: bet.betId, ...placed } }
}

/** While the partner counts as down it is not called, but for a probe (C-10). What it answers here counts for its deliveries too. */
async function place(deps: PlaceDeps, intent: Intent, isOver: boolean): Promise<Placed | 'key taken'> {
  if (isOver) return decline(deps, intent, EVENT_ENDED)
  const breaker = deps.breakers.of(intent.bet.partnerId)
  const now = deps.clock.now().getTime()
  if (breaker.allowance('users', now) === 0) return decline(deps, intent, PARTNER_UNAVAILABLE)
  breaker.started('users', now)
  let end: Ended | undefined
  try {
    const opened = await deps.placements.open(intent)
    if (opened.kind !== 'placing') return withoutCall(opened)
    const { placing } = opened
    const { answer, startedAt, isCalled } = await callPartner(deps, placing)
    if (isCalled) end = endedBy(answer, deps.clock.now().getTime())
    const placed = await deps.placements.close({ placing, answer, startedAt })
    if (placed.status === 'cancelled') deps.decided()
    return placed
  } finally {
    breaker.ended('users', end)
  }
}

async function decline({ placements }: PlaceDeps, intent: Intent, reason: string): Promise<Placed | 'key taken'> {
  const bet: PlatformBet = { ...intent.bet, token: '', status: 'declined', reason, deliveries: 0 }
  return withoutCall(await placements.open({ ...intent, bet }))
}

function withoutCall(opened: Opened): Placed | 'key taken' {
  switch (opened.kind) {
    case 'declined':
      return opened.placed
    case 'key_taken':
      return 'key taken'
    case 'placing':
      throw new Error('a bet that was declined is to be placed')
    default:
      return opened satisfies never
  }
}

async function callPartner(
  { partners, clock, span }: PlaceDeps,
  { bet, body, startBefore }: Placing,
): Promise<{ answer: Answer; startedAt: Date; isCalled: boolean }> {
  const client = await partners.client(bet.partnerId, 'users')
  if (client === undefined) throw new Error('a frame session without its partner')
  const startedAt = clock.now()
  const isCalled = world.elapsed() <= startBefore
  const answer = isCalled
    ? await client.call('place', body, bet.betId, span && { below: span })
    : notCalled('it was too late to call')
  return { answer, startedAt, isCalled }
}

/** M-5: the scale is on record before an amount is. Most often it was so already when the session was read. */
async function keepScale({ db, scales }: PlaceDeps, { currency, scale }: KeptSession): Promise<void> {
  if (scale !== scaleOf(scales, currency))
    await db.transaction((tx) => recordScales(tx, 'platform', [currency], scales))
}

async function answerRepeat(
  { db }: PlaceDeps,
  partnerId: string,
  { idempotencyKey }: Wanted,
  requestHash: string,
): Promise<PlaceOutcome> {
  const earlier = idempotencyKey === undefined ? undefined : await readSubmission(db, partnerId, idempotencyKey)
  if (earlier === undefined || earlier.request_hash !== requestHash) return { kind: 'key_differs' }
  if (earlier.status === 'placing') return { kind: 'key_running' }
  const { bet_id: betId, status, reason } = earlier
  const answered = status === 'settled' ? 'accepted' : status // settled since: the answer was accepted
  return { kind: 'placed', bet: { betId, status: answered, reason } }
}

/** Of the content: the order in which members are written says nothing. */
function hashOf(wanted: Wanted): string {
  return createHash('sha256').update(JSON.stringify(wanted, inOrder)).digest('base64url')
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function toSelection({ eventId, outcomeId, coefficient, ...details }: WantedSelection, i: number): Selection {
  const odds = parseOdds(coefficient)
  if (odds === undefined || odds < LOWEST_ODDS)
    throw new BadBet(`/selections/${i}/coefficient`, 'must be at least 1.01 with at most six decimals')
  return { eventId, outcomeId, odds, details }
}

/** C-11, in millionths. */
const LOWEST_ODDS = 1_010_000n

/** C-11: two outcomes of one event lose or win together, so that their odds cannot be multiplied. */
function requireOnePerEvent(selections: readonly Selection[]): void {
  const seen = new Set<string>()
  const twice = selections.findIndex(({ eventId }) => seen.size === seen.add(eventId).size)
  if (twice >= 0)
    throw new BadBet(`/selections/${twice}/eventId`, 'is named twice: an express has one outcome per event')
}

function toBet(
  { scales, clock }: PlaceDeps,
  session: FrameSession,
  wanted: Wanted,
  selections: readonly Selection[],
): PlatformBet {
  const { partnerId, token, userId, operatorUser, currency } = session
  if (!isCurrency(scales, currency)) throw new BadBet('/frameSessionId', `is in ${currency}, which is not known here`)
  const bonusId = wanted.bonusId ?? null
  const stake = parseAmount(wanted.amount, scaleOf(scales, currency))
  if (stake === undefined || (stake === 0n && bonusId === null))
    throw new BadBet('/amount', `must be an amount of ${currency}, more than 0 unless there is a bonusId`)
  const booster = wanted.boosterCoefficient === undefined ? null : toBooster(wanted.boosterCoefficient)
  const odds = multiplyOdds(selections.map((s) => s.odds))
  const paid = odds && multiplyOdds([odds, ...(booster === null ? [] : [booster])])
  if (odds === undefined || paid === undefined) throw new BadBet('/selections', 'together pay too much')
  if (payoutAt(stake, paid) > MAX_WIN) throw new BadBet('/amount', 'could win more than can be paid out')
  const ticketType = wanted.ticketType ?? (selections.length === 1 ? 'single' : 'express')
  if ((ticketType === 'single') !== (selections.length === 1))
    throw new BadBet('/ticketType', 'a single has one selection, an express several')
  const placedAt = clock.now()
  const identity = { betId: newBetId(placedAt), partnerId, userId, operatorUser, currency, token }
  const terms = {
    stake: stake as Money,
    ticketType,
    odds,
    booster,
    bonusId,
    bonusTemplateId: wanted.bonusTemplateId ?? null,
  }
  return {
    ...identity,
    ...terms,
    status: 'placing',
    reason: null,
    result: null,
    told: null,
    toldResult: null,
    takenBackAt: null,
    deliveries: 1,
    placedAt,
  }
}

/** Any win up to this is an exact number on the wire, whatever its digits (M-2). In minor units. */
const MAX_WIN = 10n ** BigInt(LIMITS.amountDigits) - 1n

/** Undefined unless it is an amount of the currency that the wire carries exactly (M-1, M-2). */
export function parseAmount(written: string, scale: number): Money | undefined {
  const amount = parseDecimal(written, scale)
  return amount !== undefined && isExactNumber(formatMoney(amount, scale)) ? amount : undefined
}

/** As the wire writes it: what people write ("05.5") is not always a JSON number. */
function toBonusAmount({ scales }: PlaceDeps, { currency }: FrameSession, { bonusAmount }: Wanted): string | null {
  if (bonusAmount === undefined || bonusAmount === null) return null
  const scale = scaleOf(scales, currency)
  const amount = parseAmount(bonusAmount, scale)
  if (amount === undefined) throw new BadBet('/bonusAmount', `must be an amount of ${currency}`)
  return formatMoney(amount, scale)
}

function toBooster(written: string | number): Odds {
  const booster = parseOdds(written)
  if (booster === undefined) throw new BadBet('/boosterCoefficient', 'must be more than 0 with at most six decimals')
  return booster
}
