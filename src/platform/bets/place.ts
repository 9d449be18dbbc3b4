/** Placing a bet from beginning to end: commit the intent, call the partner, record the answer, take the last look. */
import { createHash } from 'node:crypto'
import { recordScales } from '../../db/scales.ts'
import type { Author } from '../../people/actions.ts'
import { isObject } from '../../protocol/json.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { formatMoney, isCurrency, isExactNumber, type Money, parseDecimal, scaleOf } from '../../protocol/money.ts'
import type { Span } from '../../runtime/tracing.ts'
import { world } from '../../runtime/world.ts'
import { type Answer, notCalled } from '../../wallet-client/wallet-client.ts'
import { type Breakers, type Ended, endedBy } from '../delivery/breaker.ts'
import type { Partners } from '../partner.ts'
import { invalidAt, isRefused, noSuch, type Refused, refused } from '../refusal.ts'
import type { BetStatus, PlatformBet, Selection } from './bet.ts'
import type { FlowDeps } from './bet-flow.ts'
import { newBetId } from './bet-id.ts'
import type { FrameSession, KeptSession } from './frame-session.ts'
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

/** A wish that is not valid is refused before anything is written. */
export async function placeBet(deps: PlaceDeps, author: Author, wanted: Wanted): Promise<PlacedBet | Refused> {
  const { frameSessionId } = wanted
  const eventIds = wanted.selections.map(({ eventId }) => eventId)
  const { session, isOver } = await deps.placements.look({ frameSessionId, eventIds })
  if (session === undefined) return noSuch('the frame session')
  const slip = readSlip(deps, session, wanted)
  if (isRefused(slip)) return slip
  await keepScale(deps, session)
  const submission = {
    frameSessionId: session.frameSessionId,
    idempotencyKey: wanted.idempotencyKey ?? null,
    requestHash: hashOf(wanted),
  }
  const placed = await place(deps, { ...slip, submission, author }, isOver)
  if (placed === 'key taken') return answerRepeat(deps, session.partnerId, wanted, submission.requestHash)
  return { betId: slip.bet.betId, ...placed }
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
): Promise<PlacedBet | Refused> {
  const earlier = idempotencyKey === undefined ? undefined : await readSubmission(db, partnerId, idempotencyKey)
  if (earlier === undefined || earlier.request_hash !== requestHash)
    return refused('idempotency_key_reused', 'the idempotency key belongs to another bet')
  if (earlier.status === 'placing') return refused('still_running', 'the bet with this idempotency key is being placed')
  const { bet_id: betId, status, reason } = earlier
  const answered = status === 'settled' ? 'accepted' : status // settled since: the answer was accepted
  return { betId, status: answered, reason }
}

/** Of the content: the order in which members are written says nothing. */
function hashOf(wanted: Wanted): string {
  return createHash('sha256').update(JSON.stringify(wanted, inOrder)).digest('base64url')
}

function inOrder(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What the wish says, or what is wrong with it. */
function readSlip(deps: PlaceDeps, session: FrameSession, wanted: Wanted): Slip | Refused {
  const selections = toSelections(wanted.selections)
  if (isRefused(selections)) return selections
  const bet = toBet(deps, session, wanted, selections)
  if (isRefused(bet)) return bet
  const bonusAmount = toBonusAmount(deps, session, wanted)
  if (isRefused(bonusAmount)) return bonusAmount
  const { ip, info, subPartnerId = null } = wanted
  const extras = { ...(ip !== undefined && { ip }), ...(info !== undefined && { info }), subPartnerId, bonusAmount }
  return { bet, selections, extras }
}

type Slip = Pick<Intent, 'bet' | 'selections' | 'extras'>

/** C-11: two outcomes of one event lose or win together, so that their odds cannot be multiplied. */
function toSelections(wanted: readonly WantedSelection[]): Selection[] | Refused {
  const selections: Selection[] = []
  for (const [i, { eventId, outcomeId, coefficient, ...details }] of wanted.entries()) {
    const odds = parseOdds(coefficient)
    if (odds === undefined || odds < LOWEST_ODDS)
      return invalidAt(`/selections/${i}/coefficient`, 'must be at least 1.01 with at most six decimals')
    selections.push({ eventId, outcomeId, odds, details })
  }
  const seen = new Set<string>()
  const twice = selections.findIndex(({ eventId }) => seen.size === seen.add(eventId).size)
  if (twice < 0) return selections
  return invalidAt(`/selections/${twice}/eventId`, 'is named twice: an express has one outcome per event')
}

/** C-11, in millionths. */
const LOWEST_ODDS = 1_010_000n
/** In millionths. */
const NO_BOOST = 1_000_000n as Odds

function toBet(
  { scales, clock }: PlaceDeps,
  session: FrameSession,
  wanted: Wanted,
  selections: readonly Selection[],
): PlatformBet | Refused {
  const { partnerId, token, userId, operatorUser, currency } = session
  if (!isCurrency(scales, currency)) return invalidAt('/frameSessionId', `is in ${currency}, which is not known here`)
  const bonusId = wanted.bonusId ?? null
  const stake = parseAmount(wanted.amount, scaleOf(scales, currency))
  if (stake === undefined || (stake === 0n && !(bonusId !== null && bonusId > 0)))
    return invalidAt('/amount', `must be an amount of ${currency}, more than 0 unless there is a bonusId above 0`)
  const booster = wanted.boosterCoefficient === undefined ? null : parseOdds(wanted.boosterCoefficient)
  if (booster === undefined) return invalidAt('/boosterCoefficient', 'must be more than 0 with at most six decimals')
  if (booster !== null && booster !== NO_BOOST && selections.length === 1)
    return invalidAt('/boosterCoefficient', 'must be 1 or absent for one selection: a boost needs an express')
  const odds = multiplyOdds(selections.map((s) => s.odds))
  const paid = odds && multiplyOdds([odds, booster ?? NO_BOOST])
  if (odds === undefined || paid === undefined) return invalidAt('/selections', 'together pay too much')
  if (payoutAt(stake, paid) > MAX_WIN) return invalidAt('/amount', 'could win more than can be paid out')
  const ticketType = wanted.ticketType ?? (selections.length === 1 ? 'single' : 'express')
  if ((ticketType === 'single') !== (selections.length === 1))
    return invalidAt('/ticketType', 'a single has one selection, an express several')
  const placedAt = clock.now()
  const identity = { betId: newBetId(placedAt), partnerId, userId, operatorUser, currency, token }
  const terms = {
    stake: stake as Money,
    ticketType,
    odds,
    booster,
    boostsSingle: false,
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
function toBonusAmount({ scales }: PlaceDeps, { currency }: FrameSession, { bonusAmount }: Wanted) {
  if (bonusAmount === undefined || bonusAmount === null) return null
  const scale = scaleOf(scales, currency)
  const amount = parseAmount(bonusAmount, scale)
  if (amount === undefined) return invalidAt('/bonusAmount', `must be an amount of ${currency}`)
  return formatMoney(amount, scale)
}
