/**
 * Sends what is due. One turn: record what has come back, claim what may go, commit, send without an open transaction,
 * sleep until something comes back, something new is decided, or the next delivery is due. Several processes can do this
 * on one database: a claim is theirs alone (delivery-claim.ts).
 */

import { toNotCalledAnswer } from '../../../protocol/client/wallet-client.ts'
import { createDeferred } from '../../../runtime/async/deferred.ts'
import { environment } from '../../../runtime/environment.ts'
import { errorText } from '../../../runtime/errors/error-text.ts'
import type { Logger } from '../../../runtime/logger.ts'
import type { Attributes } from '../../../runtime/tracing.ts'
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

/** Timers that a test can drive. */
export interface DelivererTimers {
  /** Runs `wake` once at (or shortly after) this time; returns the cancellation. */
  at(time: Date, wake: () => void): () => void
  /** Milliseconds of a clock that nobody sets. */
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
  /** Takes over what processes that died have begun; each turn ends with a scan. */
  readonly recovery: { scan(): Promise<void>; stop(): Promise<void> }
}

export interface Deliverer {
  /** Something was decided: look now. */
  wake(): void
  /** Finishes the calls on their way, records them and stops. What is still due stays due. */
  stop(): Promise<void>
}

/** Milliseconds after which the database is looked at without reason. */
const POLL_MS = 1_000
/** Milliseconds before a failed turn (database down) is tried again. */
const RETRY_TURN_MS = 500
/** Milliseconds until a row that somebody else holds is tried again. */
const BUSY_MS = 20
/** Milliseconds from the reading of the clock to the commit of what was decided by it; what takes longer, the next look finds. */
const DECIDED_WITHIN_MS = 1_000

interface Engine {
  readonly deps: DeliverDeps
  /** Calls that came back and are not recorded yet. */
  readonly finished: FinishedCall[]
  readonly quarantine: Quarantine
  /** Something may be due that no call's end tells of: it was decided, or its time has come. */
  mustReadDue: boolean
  /** When it was read last what is due, as `elapsed` gives it. */
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

/** A wake-up that comes during a turn makes the sleep after the turn end at once. */
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
 * Resolves to the time of the next turn. A turn that fails loses nothing: what had come back is recorded by a later one,
 * or, when there is none because the process is stopping, sent again when its lease is over.
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
    engine.finished.push(...recorded.busy) // behind those that have not been tried
    for (const { claim, status } of recorded.over) deps.metrics.delivered(claim.operation, status)
    const isShort = deps.lanes.advance(claimable, claims)
    if (left !== undefined) deps.lanes.setDue(left)
    startCalls(engine, claims, claimedAt)
    const isFull = claims.length >= MAX_PER_TURN
    if ((left === undefined && isShort) || isFull || recorded.over.some(hasFollower)) engine.mustReadDue = true
    if (!engine.stopping) await deps.recovery.scan()
    if (engine.finished.length > recorded.busy.length) engine.wake() // there is more to record
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

/** `claimedAt`: as world.elapsed() gave it, not later than the begin of their leases. */
function startCalls(engine: Engine, claims: readonly Claim[], claimedAt: number): void {
  if (claims.length > 0) engine.quarantine.claimed(claims.map(({ delivery_id }) => delivery_id))
  for (const claim of claims) {
    if (claim.status === 'stuck') engine.deps.metrics.delivered(claim.operation, claim.status)
    else void sendDelivery(engine, claim, claimedAt + START_WITHIN_MS)
  }
}

/** Only a yes is surely the end of its delivery; anything else may have given it another time. And other processes decide too. */
function shouldReadDue({ deps, mustReadDue, dueReadAt }: Engine, finished: readonly FinishedCall[]): boolean {
  const isOld = deps.timers.elapsed() - dueReadAt >= POLL_MS
  return mustReadDue || isOld || finished.some(({ answer }) => answer.outcome.kind !== 'accepted')
}

interface TurnOutcome {
  readonly claimable: readonly ClaimableLane[]
  readonly claims: readonly Claim[]
  /** As world.elapsed() gives it; not later than the begin of their leases. */
  readonly claimedAt: number
  /** What is due after the claims; undefined when nobody asked. */
  readonly left: readonly LaneDue[] | undefined
  readonly recorded: RecordOutcome
}

/**
 * Two round trips: what came back; what follows from it (attempt-recorder.ts), the claims and the commit. A third one for the commit where a
 * claim can end a delivery, and one more where a cashout was refused. While much is due, nobody asks what is.
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
    await tx.finish(recorded.rest)
    return { claimable, claims: [], claimedAt, left: due, recorded }
  }
  const claim = () =>
    Promise.all([recorded.rest(), claimDue(tx, claimable, now, mustReadDue ? since : undefined, quarantine), readDue()])
  const [, claims, left] = await (claimable.some(({ lane }) => lane === 'rollbacks') ? claim() : tx.finish(claim))
  return { claimable, claims, claimedAt, left, recorded }
}

/** What was decided after it goes now (C-6), or what its refusal decides (C-8). */
function hasFollower({ claim, status, hasLater }: DeliveryEnd): boolean {
  return hasLater || (status === 'refused' && claim.result_type === 'cashout')
}

/**
 * A lane that is held back is looked at again when one of its calls ends, or when its breaker allows a probe. What is due
 * and allowed and was not claimed is in another process' hands.
 */
function nextTurnAt(engine: Engine, isBusy: boolean): Date {
  const now = engine.deps.clock.now().getTime()
  if (isBusy) return new Date(now + BUSY_MS)
  if (engine.stopping) return new Date(now + POLL_MS) // nothing is claimed any more; what comes back wakes
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

/** One call. No transaction is open; whatever happens ends as an answer, or, when it is too late to call, as nothing. */
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
 * Undefined when the claim has become too old to be used, as in a process that was frozen: it is due again when others have watched it for a lease. The
 * start is read as the call begins, not when it was claimed: from the first one's a rollback's times are counted (C-4).
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
