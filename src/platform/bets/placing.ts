/** From the intent to a decided bet: committed before the call (C-1), decided by the answer (C-2) and a last look (C-3). */
import { randomUUID } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import type { Author } from '../../people/actions.ts'
import { formatMoney, scaleOf } from '../../protocol/money.ts'
import type { CallOutcome } from '../../wallet-client/classify.ts'
import type { Answer } from '../../wallet-client/wallet-client.ts'
import { START_WITHIN_MS } from '../delivery/claim.ts'
import { insertAttempts, insertDeliveries, readPlaceDelivery, recordResults } from '../delivery/outbox.ts'
import type { BetStatus, PlatformBet, Selection } from './bet.ts'
import { cancelled, decide, type FlowDeps } from './bet-flow.ts'
import {
  holdFreeBets,
  insertBet,
  insertSelections,
  lockBets,
  readBets,
  readSelections,
  type Submission,
  saveBets,
  saveTold,
} from './bet-store.ts'
import { type ControlFacts, findObjection } from './control-stage.ts'
import { hasEndedEvent, holdEventsOf } from './event.ts'
import { readLimits } from './limits.ts'
import { type PlaceExtras, placeMessage } from './message.ts'
import { addBets, takeOffBets, winOf } from './totals.ts'

/** Rollback reasons that the flow itself gives (C-1, C-2). */
const REASON = { timeOut: 10, broken: 50, partnerBroken: 52 } as const

/** A bet that waits for the partner's answer; only the process that holds it may record one. */
export interface Placing {
  readonly bet: PlatformBet
  readonly body: string
  /** As performance.now() gives it. A call that begins later could arrive after the rollback of a bet that was given up (C-1). */
  readonly startBefore: number
}

export type Begun =
  | { readonly kind: 'placing'; readonly placing: Placing }
  /** Nobody is called. */
  | { readonly kind: 'declined'; readonly placed: Placed }
  | { readonly kind: 'key_taken' }

/** C-11: what is known to be over is not offered to the partner. What ends from now on, the last look finds (C-3). */
const EVENT_ENDED = 'event ended'

/** What is to be placed. */
export interface Intent {
  readonly bet: PlatformBet
  readonly selections: readonly Selection[]
  readonly extras: PlaceExtras
  readonly submission: Submission
}

/** C-10: a user does not wait 5 s to learn that nobody answers. */
const PARTNER_UNAVAILABLE = 'partner unavailable'

/** Commits the bet and the intent to call (C-1), or the bet as declined. */
export function beginPlacing(
  deps: FlowDeps,
  author: Author,
  { bet, selections, extras, submission }: Intent,
  isPartnerDown: boolean,
): Promise<Begun> {
  const requestId = randomUUID()
  const body = placeMessage(bet, selections, extras, { scales: deps.scales, requestId })
  return deps.db.transaction(async (tx): Promise<Begun> => {
    const [isNew, isOver] = await Promise.all([insertBet(tx, bet, submission), hasEndedEvent(tx, selections)])
    if (!isNew) return { kind: 'key_taken' }
    const [begunAt, now] = [performance.now(), deps.clock.now()]
    const { betId, userId, currency } = bet
    const after = { userId, currency, amount: formatMoney(bet.stake, scaleOf(deps.scales, currency)) }
    const insertRest = () => [
      insertSelections(tx, betId, selections),
      author.record(tx, { on: { betId }, before: {}, after, at: now }),
    ]
    const reason = isOver ? EVENT_ENDED : isPartnerDown ? PARTNER_UNAVAILABLE : undefined
    if (reason !== undefined) {
      const declined = close(deps, tx, { ...bet, status: 'declined', reason, deliveries: 0 })
      return Promise.all([declined, ...insertRest()]).then(([placed]) => ({ kind: 'declined', placed }))
    }
    const call = { operation: 'place', requestId, body, status: 'pending', attempts: 1, result: null } as const
    const delivery = { betId, partnerId: bet.partnerId, number: 1, ...call, dueAt: 'infinity' } as const
    await tx.finish(() => Promise.all([...insertRest(), insertDeliveries(tx, [delivery], now)]))
    return { kind: 'placing', placing: { bet, body, startBefore: begunAt + START_WITHIN_MS } }
  })
}

export interface Placed {
  readonly status: BetStatus
  readonly reason: string | null
}

/**
 * Records the partner's answer and takes the last look (C-2, C-3). When this process was too slow and another one has
 * given the bet up meanwhile, what that one decided stands.
 */
export function finishPlacing(
  deps: FlowDeps,
  { bet: { betId } }: Placing,
  answer: Answer,
  startedAt: Date,
): Promise<Placed> {
  return deps.db.transaction(async (tx) => {
    // In one round trip, in this order: the bet is locked, then its events, and what is read is what their last holders left.
    const [[bet], deliveryId, , selections, limits] = await Promise.all([
      lockBets(tx, [betId]),
      readPlaceDelivery(tx, betId),
      holdEventsOf(tx, betId),
      readSelections(tx, [betId]),
      readLimits(tx),
    ])
    if (bet === undefined) throw new Error('a bet that was being placed is gone')
    const recorded = recordPlaceAttempt(deps, tx, deliveryId, answer, startedAt)
    const [placed] = await Promise.all([
      bet.status === 'placing' ? decidePlacing(deps, tx, { bet, selections, limits }, answer) : bet,
      recorded,
    ])
    return { status: placed.status, reason: placed.reason }
  })
}

type Known = Pick<ControlFacts, 'bet' | 'selections' | 'limits'>

async function decidePlacing(deps: FlowDeps, tx: Tx, known: Known, { outcome }: Answer): Promise<Placed> {
  const { bet } = known
  if (isDeclined(outcome)) {
    return close(deps, tx, { ...bet, status: 'declined', reason: `partner code ${outcome.code}` })
  }
  if (outcome.kind !== 'accepted') {
    const reason = outcome.kind === 'unknown' && outcome.reason === 'time_out' ? REASON.timeOut : REASON.partnerBroken
    return rollBack(deps, tx, bet, reason)
  }
  const told = saveTold(tx, [{ betId: bet.betId, status: 'open', payout: null, resultType: null }])
  const [placed] = await Promise.all([lastLook(deps, tx, known), told])
  return placed
}

/** C-2: code 100 leaves open whether the bet was debited. */
const SYSTEM_ERROR = 100

function isDeclined(outcome: CallOutcome): outcome is CallOutcome & { kind: 'refused' } {
  return outcome.kind === 'refused' && outcome.code !== SYSTEM_ERROR
}

async function close(deps: FlowDeps, tx: Tx, bet: PlatformBet): Promise<Placed> {
  await saveBets(tx, [bet], deps.clock.now())
  return { status: bet.status, reason: bet.reason }
}

async function rollBack(deps: FlowDeps, tx: Tx, bet: PlatformBet, errorCode: number): Promise<Placed> {
  const decided = cancelled(deps, bet, errorCode)
  await decide(deps, tx, [decided])
  return { status: decided.bet.status, reason: decided.bet.reason }
}

/** C-3: what breaks while the bet is being closed is an objection too. The bet is counted first, so that no other one is judged meanwhile. */
async function lastLook(deps: FlowDeps, tx: Tx, known: Known): Promise<Placed> {
  const { bet, selections } = known
  const win = winOf(bet)
  if (win === undefined) return rollBack(deps, tx, bet, REASON.broken)
  const counted = { ...bet, win, selections }
  const totals = await addBets(tx, [counted])
  totals.takeOff(counted)
  const objection = findObjection({ ...known, exposure: totals.exposureOf(counted), win, scales: deps.scales })
  if (objection === undefined) return close(deps, tx, { ...bet, status: 'accepted' })
  await takeOffBets(tx, [counted])
  return rollBack(deps, tx, bet, objection)
}

/** Sends all of its statements at once: what is decided after it finds the Place bet over. */
async function recordPlaceAttempt(
  deps: FlowDeps,
  tx: Tx,
  deliveryId: bigint,
  answer: Answer,
  startedAt: Date,
): Promise<void> {
  const { outcome, status, body, durationMs } = answer
  const code = outcome.kind === 'refused' ? outcome.code : null
  const error = outcome.kind === 'unknown' ? `${outcome.reason}: ${outcome.detail}` : null
  const result = { accepted: 'done', refused: isDeclined(outcome) ? 'refused' : 'unknown', unknown: 'unknown' } as const
  const attempt = { deliveryId, number: 1, startedAt, durationMs, status, outcome: outcome.kind, code, error, body }
  const over = {
    deliveryId,
    attempt: 1,
    status: result[outcome.kind],
    firstAttemptAt: startedAt,
    dueAt: null,
    code,
    error,
    isOwed: false,
  }
  await Promise.all([insertAttempts(tx, [attempt]), recordResults(tx, [over], deps.clock.now())])
}

/**
 * C-1: a bet whose placing process is gone has an unknown outcome and is rolled back. Safe beside a process that is only
 * slow: the one that locks the bet first decides, and the other one finds it decided.
 */
export function giveUpPlacing(deps: FlowDeps, betIds: readonly string[]): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const free = await holdFreeBets(tx, betIds) // one that is held is just being decided by the process that is slow
    const bets = (await readBets(tx, [...free])).filter((bet) => bet.status === 'placing')
    const places = await Promise.all(bets.map((bet) => readPlaceDelivery(tx, bet.betId)))
    const error = 'the placing process is gone'
    const results = places.map(
      (deliveryId) =>
        ({
          deliveryId,
          attempt: 1,
          status: 'unknown',
          firstAttemptAt: null,
          dueAt: null,
          code: null,
          error,
          isOwed: false,
        }) as const,
    )
    await recordResults(tx, results, deps.clock.now())
    await decide(
      deps,
      tx,
      bets.map((bet) => cancelled(deps, bet, REASON.broken)),
    )
    return bets.length
  })
}
