/** The second half of a placement: the partner's answer decides the bet (C-2), and a yes gets a last look (C-3). */
import type { Tx } from '../../db/db.ts'
import { REPLY_CODES, ROLLBACK_REASON } from '../../protocol/codes.ts'
import type { Scales } from '../../protocol/money.ts'
import type { CallOutcome } from '../../wallet-client/classify.ts'
import type { Answer } from '../../wallet-client/wallet-client.ts'
import { noteBets } from '../change.ts'
import {
  type AttemptRecord,
  type AttemptResult,
  insertAttempts,
  readPlaceDeliveries,
  recordResults,
} from '../delivery/outbox.ts'
import type { PlatformBet, Selection } from './bet.ts'
import { cancelled, decide, type FlowDeps, rollbackReason } from './bet-flow.ts'
import { saveTold, type Told } from './bet-store.ts'
import { findObjection } from './control-stage.ts'
import { holdEventsOf } from './event.ts'
import { type Limits, readLimits } from './limits.ts'
import { type Offer, readOffers } from './offer.ts'
import type { Placing } from './opening.ts'
import { closeBets, holdPlacing, type Placed } from './placing-store.ts'
import { addBets, type Counted, type Totals, takeOffBets, winOf } from './totals.ts'

/** A Place bet that has come back. */
export interface Answered {
  readonly placing: Placing
  readonly answer: Answer
  readonly startedAt: Date
}

type Decision =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'declined'; readonly reason: string }
  | { readonly kind: 'rolled_back'; readonly errorCode: number }

/** What the last look sees. The totals are those before the bets of the batch, and grow with each that is accepted. */
interface Sight {
  readonly limits: Limits
  readonly scales: Scales
  readonly totals: Totals
  offerOf(selection: Selection): Offer
}

/** An answer on its way through the last look. */
interface Looked {
  readonly answered: Answered
  /** To which the partner said yes: counted at once, so that its totals are locked, and taken off again if it is not accepted. */
  readonly counted: Counted | undefined
  /** Of a bet that was still being placed. */
  readonly decision: Decision | undefined
}

/**
 * Records answers and decides the bets, one after another. When this process was too slow and another one has given a bet up, what that
 * one decided stands. Bets that somebody else holds are waited for, or left as they are: of those the result is undefined.
 */
export async function closePlacings(
  deps: FlowDeps,
  tx: Tx,
  all: readonly Answered[],
  busy: 'wait' | 'leave',
): Promise<(Placed | undefined)[]> {
  const betIds = all.map(betIdOf)
  const asked = all.map((answered) => ({ answered, counted: countedIn(answered) }))
  const candidates = asked.flatMap(({ counted }) => counted ?? [])
  const selections = all.flatMap(({ placing }) => placing.selections)
  // In one round trip, in this order: bets are locked, then their events, then totals, and what is read is what the last holders left.
  const [held, deliveryIds, , offerOf, limits, totals] = await Promise.all([
    holdPlacing(tx, betIds, busy),
    readPlaceDeliveries(tx, betIds),
    holdEventsOf(tx, betIds),
    readOffers(tx, selections),
    readLimits(tx),
    addBets(tx, candidates),
  ])
  for (const counted of candidates) totals.takeOff(counted)
  const sight = { limits, scales: deps.scales, totals, offerOf }
  const looked = asked.map(({ answered, counted }): Looked => {
    const isOpen = held.get(betIdOf(answered))?.status === 'placing'
    return { answered, counted, decision: isOpen ? decisionOn(sight, answered, counted) : undefined }
  })
  await write(deps, tx, looked, deliveryIds, (answered) => held.has(betIdOf(answered)))
  return looked.map(({ answered, decision }) =>
    decision === undefined ? held.get(betIdOf(answered)) : toPlaced(decision),
  )
}

function betIdOf({ placing }: Answered): string {
  return placing.bet.betId
}

function isYes({ answer }: Answered): boolean {
  return answer.outcome.kind === 'accepted'
}

function countedIn(answered: Answered): Counted | undefined {
  const { bet, selections } = answered.placing
  const win = isYes(answered) ? winOf(bet) : undefined
  return win === undefined ? undefined : { ...bet, win, selections }
}

function decisionOn(sight: Sight, { placing, answer: { outcome } }: Answered, counted: Counted | undefined): Decision {
  if (isDeclined(outcome)) return { kind: 'declined', reason: `partner code ${outcome.code}` }
  if (outcome.kind !== 'accepted') {
    const isTimeOut = outcome.kind === 'unknown' && outcome.reason === 'time_out'
    return { kind: 'rolled_back', errorCode: isTimeOut ? ROLLBACK_REASON.timeOut : ROLLBACK_REASON.partnerFailed }
  }
  if (counted === undefined) return { kind: 'rolled_back', errorCode: ROLLBACK_REASON.closingFailed }
  const objection = lastLook(sight, placing, counted)
  if (objection !== undefined) return { kind: 'rolled_back', errorCode: objection }
  sight.totals.add(counted)
  return { kind: 'accepted' }
}

/** C-3. */
function lastLook(
  { offerOf, totals, ...sight }: Sight,
  { bet, selections }: Placing,
  counted: Counted,
): number | undefined {
  const offered = selections.map((selection) => ({ ...selection, ...offerOf(selection) }))
  return findObjection({ ...sight, bet, selections: offered, exposure: totals.exposureOf(counted), win: counted.win })
}

/** C-2: a system error leaves open whether the bet was debited. */
function isDeclined(outcome: CallOutcome): outcome is CallOutcome & { kind: 'refused' } {
  return outcome.kind === 'refused' && outcome.code !== REPLY_CODES.system_error.code
}

function toPlaced(decision: Decision): Placed {
  switch (decision.kind) {
    case 'accepted':
      return { status: 'accepted', reason: null }
    case 'declined':
      return { status: 'declined', reason: decision.reason }
    case 'rolled_back':
      return { status: 'cancelled', reason: rollbackReason(decision.errorCode) }
    default:
      return decision satisfies never
  }
}

/** What is decided after the answers are recorded finds the Place bets over. */
async function write(
  deps: FlowDeps,
  tx: Tx,
  looked: readonly Looked[],
  deliveryIds: ReadonlyMap<string, bigint>,
  isHeld: (answered: Answered) => boolean,
): Promise<void> {
  const now = deps.clock.now()
  const returned = looked.map(({ answered }) => answered).filter(isHeld)
  const closed: PlatformBet[] = []
  const rolledBack: { answered: Answered; errorCode: number }[] = []
  for (const { answered, decision } of looked) {
    if (decision?.kind === 'rolled_back') rolledBack.push({ answered, errorCode: decision.errorCode })
    else if (decision !== undefined) closed.push({ ...answered.placing.bet, ...toPlaced(decision) })
  }
  const told = rolledBack.map(({ answered }) => answered).filter(isYes)
  const uncounted = looked.flatMap(({ counted, decision }) => (decision?.kind === 'accepted' ? [] : (counted ?? [])))
  const attempts = returned.map((answered) => toAttempt(answered, deliveryIds))
  const results = returned.map((answered) => toResult(answered, deliveryIds))
  const send = () =>
    Promise.all([
      insertAttempts(tx, attempts),
      recordResults(tx, results, now),
      closeBets(tx, closed, now),
      noteBets(tx, closed, now),
      saveTold(tx, told.map(toldOpen)),
      takeOffBets(tx, uncounted),
    ])
  if (rolledBack.length === 0) return void (await tx.finish(send))
  const rollbacks = rolledBack.map(({ answered, errorCode }) => cancelled(deps, answered.placing.bet, errorCode))
  await Promise.all([send(), decide(deps, tx, rollbacks)])
}

function toldOpen(answered: Answered): Told {
  return { betId: betIdOf(answered), status: 'open', payout: null, resultType: null }
}

function toAttempt(answered: Answered, deliveryIds: ReadonlyMap<string, bigint>): AttemptRecord {
  const { answer, startedAt } = answered
  const { outcome, status, body, durationMs, phases } = answer
  const deliveryId = deliveryOf(answered, deliveryIds)
  return {
    deliveryId,
    number: 1,
    startedAt,
    durationMs,
    status,
    outcome: outcome.kind,
    body,
    phases,
    ...saidIn(outcome),
  }
}

function toResult(answered: Answered, deliveryIds: ReadonlyMap<string, bigint>): AttemptResult {
  const { outcome } = answered.answer
  const status = outcome.kind === 'accepted' ? 'done' : isDeclined(outcome) ? 'refused' : 'unknown'
  const deliveryId = deliveryOf(answered, deliveryIds)
  const over = { attempt: 1, firstAttemptAt: answered.startedAt, dueAt: null, isOwed: false } as const
  return { deliveryId, status, ...over, ...saidIn(outcome) }
}

function deliveryOf(answered: Answered, deliveryIds: ReadonlyMap<string, bigint>): bigint {
  const deliveryId = deliveryIds.get(betIdOf(answered))
  if (deliveryId === undefined) throw new Error('a bet without its Place bet')
  return deliveryId
}

function saidIn(outcome: CallOutcome): { code: number | null; error: string | null } {
  return {
    code: outcome.kind === 'refused' ? outcome.code : null,
    error: outcome.kind === 'unknown' ? `${outcome.reason}: ${outcome.detail}` : null,
  }
}
