/**
 * Delivery loop: it sends the due deliveries (calls in the outbox table) to the partners.
 *
 * A turn has these steps:
 * - record the answers that have arrived;
 * - claim due deliveries and commit;
 * - send them without an open transaction;
 * - sleep until an answer arrives, a decision is made, or a delivery is due.
 *
 * Several processes can share a database, because a claim belongs to one process
 * (delivery-claim.ts).
 */

import { toNotCalledAnswer } from '@purser/protocol/client/wallet-client'
import { createDeferred } from '@purser/runtime/async/deferred'
import { environment } from '@purser/runtime/environment'
import { errorText } from '@purser/runtime/errors/error-text'
import type { Logger } from '@purser/runtime/logger'
import type { Attributes } from '@purser/runtime/tracing'
import { isDataError, isOutage } from '../../core/database/database-errors.ts'
import type { Db, Tx } from '../../core/database/db.ts'
import { type CircuitBreakers, deliveryLaneOf, toCallEnd } from '../circuit-breaker.ts'
import type { Partners } from '../partner-clients.ts'
import type { PlatformMetrics } from '../platform-metrics.ts'
import { START_WITHIN_MS } from '../store/outbox.ts'
import {
  type DeliveryEnd,
  type FinishedCall,
  type RecordDeps,
  type RecordOutcome,
  recordAnswers,
} from './attempt-recorder.ts'
import { claimWithBisection } from './bisect-claim.ts'
import { recordWithBisection } from './bisect-record.ts'
import {
  type Claim,
  type ClaimableLane,
  claimDue,
  isRollbackLate,
  type LaneDue,
  readNextDue,
} from './delivery-claim.ts'
import { type DeliveryLanes, MAX_PER_TURN } from './delivery-lanes.ts'
import { createQuarantine, type Quarantine } from './quarantine.ts'

export interface DelivererTimers {
  /** Calls `wake` once, at or shortly after `time`. Returns the cancellation. */
  at(time: Date, wake: () => void): () => void
  /** Monotonic milliseconds. */
  elapsed(): number
}

export interface DeliverDeps extends RecordDeps {
  readonly db: Db
  readonly timers: DelivererTimers
  readonly partners: Partners
  readonly breakers: CircuitBreakers
  readonly log: Logger
  readonly random: () => number
  readonly metrics: PlatformMetrics
  readonly lanes: DeliveryLanes
  /** Takes over the work of dead processes; each turn ends with a scan. */
  readonly recovery: { scan(): Promise<void>; stop(): Promise<void> }
}

export interface Deliverer {
  /** Starts a turn at once, because a delivery was decided. */
  wake(): void
  /** Waits for the calls in flight and records them. Due deliveries stay due. */
  stop(): Promise<void>
}

/** Longest interval between two reads of the due deliveries. */
const POLL_MS = 1_000
/** Pause after a failed turn, for example while the database is down. */
const RETRY_TURN_MS = 500
/** Pause before a row that another transaction holds is tried again. */
const BUSY_MS = 20
/**
 * Longest usual time from reading the clock to the commit of a decision. The poll finds later
 * commits.
 */
const DECIDED_WITHIN_MS = 1_000

interface Engine {
  readonly deps: DeliverDeps
  /** Answers that are not recorded yet. */
  readonly finished: FinishedCall[]
  readonly quarantine: Quarantine
  /** Deliveries may be due although no call has ended: after a decision, or by the time. */
  mustReadDue: boolean
  /** In milliseconds of `elapsed`. */
  dueReadAt: number
  /** Ends the sleep between two turns. */
  wake: () => void
  stopping: boolean
}

export function startDeliverer(deps: DeliverDeps): Deliverer {
  const engine: Engine = {
    deps,
    finished: [],
    quarantine: createQuarantine(() => deps.timers.elapsed()),
    mustReadDue: true,
    dueReadAt: Number.NEGATIVE_INFINITY,
    wake: () => {},
    stopping: false,
  }
  const ended = runTurns(engine)
  return {
    wake: () => requestTurn(engine),
    async stop() {
      engine.stopping = true
      engine.wake()
      await Promise.all([ended, deps.recovery.stop()])
    },
  }
}

async function runTurns(engine: Engine): Promise<void> {
  for (;;) {
    const sleep = createSleep(engine)
    const until = await runTurn(engine)
    if (engine.stopping && totalInFlight(engine) === 0 && engine.finished.length === 0) return
    await sleep(until)
  }
}

function requestTurn(engine: Engine): void {
  engine.mustReadDue = true
  engine.wake()
}

/** A wake-up during a turn ends the next sleep at once. */
function createSleep(engine: Engine): (until: Date) => Promise<void> {
  const { promise, resolve } = createDeferred()
  engine.wake = resolve
  return async (until) => {
    const cancel = engine.deps.timers.at(until, () => {
      engine.mustReadDue = true
      resolve()
    })
    await promise
    cancel()
  }
}

/**
 * Returns the time of the next turn. A failed turn loses no answer: a later turn records it, or the
 * delivery is sent again after its lease.
 */
async function runTurn(engine: Engine): Promise<Date> {
  const { deps } = engine
  const finished = engine.finished.splice(0, MAX_PER_TURN)
  const mustReadDue = shouldReadDue(engine, finished)
  engine.mustReadDue = false
  try {
    const { claims, claimedAt, claimable, left, recorded } = await deps.db.transaction((tx) =>
      recordAndClaim(engine, tx, finished, mustReadDue),
    )
    engine.finished.push(...recorded.busy) // after the answers that have not been tried yet
    for (const { claim, status } of recorded.over) deps.metrics.delivered(claim.operation, status)
    const isShort = deps.lanes.advance(claimable, claims)
    if (left !== undefined) deps.lanes.setDue(left)
    startCalls(engine, claims, claimedAt)
    const isFull = claims.length >= MAX_PER_TURN
    if ((left === undefined && isShort) || isFull || recorded.over.some(hasFollower)) engine.mustReadDue = true
    if (!engine.stopping) await deps.recovery.scan()
    if (engine.finished.length > recorded.busy.length) engine.wake() // more answers must be recorded
    return nextTurnAt(engine, recorded.busy.length > 0)
  } catch (error) {
    deps.log.error({ err: error }, 'a round of deliveries failed')
    const left = isDataError(error) ? await recordWithBisection(deps, finished) : finished
    if (!engine.stopping) engine.finished.unshift(...left)
    if (isDataError(error) && !engine.stopping) await claimInParts(engine)
    if (!isOutage(error) && !engine.stopping) await deps.recovery.scan()
    engine.mustReadDue = true
    return new Date(deps.clock.now().getTime() + RETRY_TURN_MS)
  }
}

async function claimInParts(engine: Engine): Promise<void> {
  const { deps, quarantine } = engine
  const now = deps.clock.now()
  const since = new Date(now.getTime() - DECIDED_WITHIN_MS)
  try {
    await claimWithBisection(deps, deps.lanes.claimable(deps.breakers, now), since, quarantine, (claims, claimedAt) =>
      startCalls(engine, claims, claimedAt),
    )
  } catch (error) {
    deps.log.error({ err: error }, 'deliveries could not be claimed')
  }
}

/** `claimedAt` is a time of `environment.monotonicNow()`, not after the start of the leases. */
function startCalls(engine: Engine, claims: readonly Claim[], claimedAt: number): void {
  if (claims.length > 0) engine.quarantine.claimed(claims.map(({ delivery_id }) => delivery_id))
  for (const claim of claims) {
    if (claim.status === 'stuck') engine.deps.metrics.delivered(claim.operation, claim.status)
    else void sendDelivery(engine, claim, claimedAt + START_WITHIN_MS)
  }
}

/**
 * Only acceptance certainly ends a delivery; other outcomes may give it a new due time. Other
 * processes decide deliveries too.
 */
function shouldReadDue({ deps, mustReadDue, dueReadAt }: Engine, finished: readonly FinishedCall[]): boolean {
  const isOld = deps.timers.elapsed() - dueReadAt >= POLL_MS
  return mustReadDue || isOld || finished.some(({ answer }) => answer.outcome.kind !== 'accepted')
}

interface TurnOutcome {
  readonly claimable: readonly ClaimableLane[]
  readonly claims: readonly Claim[]
  /** Time of `environment.monotonicNow()`, not after the start of the leases. */
  readonly claimedAt: number
  /** Deliveries that are due after the claims; undefined if they were not read. */
  readonly left: readonly LaneDue[] | undefined
  readonly recorded: RecordOutcome
}

/**
 * A turn needs two round trips: one records the answers, the other has their consequences, the
 * claims and the commit. The commit needs a third one if a claim can end a delivery. A rejected
 * cashout needs one more. The due deliveries are not read while many are known.
 */
async function recordAndClaim(
  engine: Engine,
  tx: Tx,
  finished: readonly FinishedCall[],
  mustReadDue: boolean,
): Promise<TurnOutcome> {
  const { deps } = engine
  const { lanes } = deps
  const quarantine = engine.quarantine.ids()
  const since = new Date(deps.clock.now().getTime() - DECIDED_WITHIN_MS)
  const readDue = () => (mustReadDue ? readNextDue(tx, lanes.marks(), since, quarantine) : undefined)
  const [recorded, due] = await Promise.all([recordAnswers(deps, tx, finished), readDue()])
  if (due !== undefined) {
    lanes.setDue(due)
    engine.dueReadAt = deps.timers.elapsed()
  }
  const [claimedAt, now] = [environment.monotonicNow(), deps.clock.now()]
  const claimable = engine.stopping ? [] : lanes.claimable(deps.breakers, now)
  if (claimable.length === 0) {
    await tx.finish(recorded.sendRemaining)
    return { claimable, claims: [], claimedAt, left: due, recorded }
  }
  const claim = () =>
    Promise.all([
      recorded.sendRemaining(),
      claimDue(tx, claimable, now, mustReadDue ? since : undefined, quarantine),
      readDue(),
    ])
  const [, claims, left] = await (claimable.some(({ lane }) => lane === 'rollbacks') ? claim() : tx.finish(claim))
  return { claimable, claims, claimedAt, left, recorded }
}

/** The next delivery of the bet is sent now (C-6), or a rejected cashout has decided one (C-8). */
function hasFollower({ claim, status, hasLater }: DeliveryEnd): boolean {
  return hasLater || (status === 'refused' && claim.result_type === 'cashout')
}

/**
 * A lane without capacity waits until one of its calls ends or its circuit breaker allows a probe.
 * Another process holds each due delivery that was allowed but not claimed.
 */
function nextTurnAt(engine: Engine, isBusy: boolean): Date {
  const now = engine.deps.clock.now().getTime()
  if (isBusy) return new Date(now + BUSY_MS)
  if (engine.stopping) return new Date(now + POLL_MS) // nothing is claimed any more; an arriving answer wakes the loop
  if (engine.mustReadDue) return new Date(now)
  const times = engine.deps.lanes.due().map(({ partnerId, lane, dueAt }) => {
    if (dueAt.getTime() > now) return dueAt.getTime()
    const breaker = engine.deps.breakers.of(partnerId)
    if (breaker.allowance(lane, now) > 0) return now + BUSY_MS
    const probeAt = breaker.nextProbeAt(lane)
    return probeAt !== null && probeAt > now ? probeAt : now + POLL_MS
  })
  return new Date(Math.min(now + POLL_MS, ...times))
}

function totalInFlight({ deps }: Engine): number {
  return [...deps.breakers.all()].reduce((sum, breaker) => sum + breaker.inFlight(), 0)
}

/** Makes one call. Every error becomes an answer; a call that would start too late is dropped. */
async function sendDelivery(engine: Engine, claim: Claim, startBefore: number): Promise<void> {
  const { deps } = engine
  const [breaker, lane] = [deps.breakers.of(claim.partner_id), deliveryLaneOf(claim.operation)]
  breaker.started(lane, deps.clock.now().getTime())
  const call = await callPartner(deps, claim, startBefore)
  breaker.ended(lane, call && toCallEnd(call.answer, deps.clock.now().getTime()))
  if (call !== undefined) {
    const { outcome } = call.answer
    deps.metrics.attempted(claim.operation, outcome.kind === 'unknown' ? outcome.reason : 'none')
    engine.finished.push({ claim, ...call })
  }
  engine.wake()
}

/**
 * Undefined if the claim is too old, for example after the process was frozen. Another process
 * takes it over after watching it for a lease (C-12). The start is read directly before the call,
 * because the schedule of a rollback counts from its first start (C-4).
 */
async function callPartner(
  deps: DeliverDeps,
  claim: Claim,
  startBefore: number,
): Promise<Omit<FinishedCall, 'claim'> | undefined> {
  let startedAt = deps.clock.now()
  try {
    const client = await deps.partners.client(claim.partner_id, deliveryLaneOf(claim.operation))
    startedAt = deps.clock.now()
    if (client === undefined) return { answer: toNotCalledAnswer('the partner does not exist'), startedAt }
    if (environment.monotonicNow() > startBefore || isRollbackLate(claim, startedAt)) return undefined
    const traced = client.isTraced ? { attributes: attributesOf(claim) } : undefined
    return { answer: await client.call(claim.operation, claim.body, claim.bet_id, traced), startedAt }
  } catch (error) {
    return { answer: toNotCalledAnswer(errorText(error)), startedAt }
  }
}

function attributesOf({ delivery_id, attempts }: Claim): Attributes {
  return { 'purser.delivery_id': `${delivery_id}`, 'purser.attempt': attempts }
}
