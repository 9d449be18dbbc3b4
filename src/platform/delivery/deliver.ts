/**
 * Sends what is due. One turn: record what has come back, claim what may go, commit, send without an open transaction,
 * sleep until something comes back, something new is decided, or the next delivery is due. Several processes can do this
 * on one database: a claim is theirs alone (claim.ts).
 */

import type { Db, Tx } from '../../db/db.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { notCalled } from '../../wallet-client/wallet-client.ts'
import type { FlowDeps } from '../bets/bet-flow.ts'
import { giveUpPlacing } from '../bets/placing.ts'
import { finishResults } from '../bets/results.ts'
import type { PlatformMetrics } from '../metrics.ts'
import type { Partners } from '../partner.ts'
import { type Breakers, endedBy, laneOf } from './breaker.ts'
import {
  type Claim,
  type ClaimWatch,
  claimDue,
  isLate,
  type LaneDue,
  type LaneKey,
  readHeldClaims,
  readNextDue,
  releaseClaims,
  START_WITHIN_MS,
  watchClaims,
} from './claim.ts'
import { type Finished, type Recorded, record } from './record.ts'

/** Timers that a test can drive. */
export interface Timers {
  /** Runs `wake` once at (or shortly after) this time; returns the cancellation. */
  at(time: Date, wake: () => void): () => void
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number
}

export interface DeliverDeps extends FlowDeps {
  readonly db: Db
  readonly clock: Clock
  readonly timers: Timers
  readonly partners: Partners
  readonly breakers: Breakers
  readonly log: Logger
  readonly random: () => number
  readonly metrics: PlatformMetrics
}

export interface Deliverer {
  /** Something was decided: look now. */
  wake(): void
  /** Finishes the calls on their way, records them and stops. What is still due stays due. */
  stop(): Promise<void>
}

/** Milliseconds after which the database is looked at without reason: for the work of processes that died. */
const POLL_MS = 1_000
/** Milliseconds before a failed turn (database down) is tried again. */
const RETRY_TURN_MS = 500
/** Milliseconds until a row that somebody else holds is tried again. */
const BUSY_MS = 20

interface Engine {
  readonly deps: DeliverDeps
  finished: Finished[]
  readonly watch: ClaimWatch
  /** At work on results that another process has left. */
  results: Promise<void> | undefined
  /** When the claims of all processes were looked at last, as `elapsed` gives it. */
  lookedAt: number
  /** Ends the sleep between two turns. */
  wake: () => void
  stopping: boolean
}

export function startDeliverer(deps: DeliverDeps): Deliverer {
  const engine: Engine = {
    deps,
    finished: [],
    watch: watchClaims(),
    results: undefined,
    lookedAt: Number.NEGATIVE_INFINITY,
    wake: () => {},
    stopping: false,
  }
  const ended = run(engine)
  return {
    wake: () => engine.wake(),
    async stop() {
      engine.stopping = true
      engine.wake()
      await Promise.all([ended, engine.results])
    },
  }
}

async function run(engine: Engine): Promise<void> {
  for (;;) {
    const sleep = createSleep(engine)
    const until = await turn(engine)
    if (engine.stopping && totalInFlight(engine) === 0 && engine.finished.length === 0) return
    await sleep(until)
  }
}

/** A wake-up that comes during a turn makes the sleep after the turn end at once. */
function createSleep(engine: Engine): (until: Date) => Promise<void> {
  const { promise, resolve } = newPromise()
  engine.wake = resolve
  return async (until) => {
    const cancel = engine.deps.timers.at(until, resolve)
    await promise
    cancel()
  }
}

function newPromise(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/**
 * Resolves to the time of the next turn. A turn that fails loses nothing: what had come back is recorded by a later one,
 * or, when there is none because the process is stopping, sent again when its lease is over.
 */
async function turn(engine: Engine): Promise<Date> {
  const { deps, finished } = engine
  engine.finished = []
  try {
    const { claims, claimedAt, nextDue, recorded } = await deps.db.transaction((tx) =>
      recordAndClaim(engine, tx, finished),
    )
    engine.finished = [...recorded.busy, ...engine.finished]
    for (const { claim, status } of recorded.over) deps.metrics.delivered(claim.operation, status)
    for (const claim of claims) {
      if (claim.status === 'stuck') deps.metrics.delivered(claim.operation, claim.status)
      else void send(engine, claim, claimedAt + START_WITHIN_MS)
    }
    if (await finishAbandoned(engine)) return deps.clock.now()
    return nextTurnAt(engine, nextDue, recorded.busy.length > 0)
  } catch (error) {
    if (!engine.stopping) engine.finished = [...finished, ...engine.finished]
    deps.log.error({ err: error }, 'a turn of deliveries failed')
    return new Date(deps.clock.now().getTime() + RETRY_TURN_MS)
  }
}

interface Turn {
  readonly claims: readonly Claim[]
  /** As performance.now() gives it; not later than the begin of their leases. */
  readonly claimedAt: number
  readonly nextDue: readonly LaneDue[]
  readonly recorded: Recorded
}

async function recordAndClaim(engine: Engine, tx: Tx, finished: readonly Finished[]): Promise<Turn> {
  const recorded = await record(engine.deps, tx, finished)
  const [claimedAt, now] = [performance.now(), engine.deps.clock.now()]
  const nextDue = await readNextDue(tx)
  const free = engine.stopping ? [] : freeLanes(engine, nextDue, now)
  if (free.length === 0) return { claims: [], claimedAt, nextDue, recorded }
  const [claims, nextDueThen] = await Promise.all([claimDue(tx, free, now), readNextDue(tx)])
  return { claims, claimedAt, nextDue: nextDueThen, recorded }
}

/** Lanes in which something is due and may be sent. */
function freeLanes(engine: Engine, nextDue: readonly LaneDue[], now: Date): (LaneKey & { free: number })[] {
  const due = nextDue.filter(({ dueAt }) => dueAt <= now)
  const lanes = due.map(({ partnerId, lane }) => {
    return { partnerId, lane, free: engine.deps.breakers.of(partnerId).allowance(lane, now.getTime()) }
  })
  return lanes.filter(({ free }) => free > 0)
}

/**
 * A lane that is held back is looked at again when one of its calls ends, or when its breaker allows a probe. What is due
 * and allowed and was not claimed is in another process' hands.
 */
function nextTurnAt(engine: Engine, nextDue: readonly LaneDue[], isBusy: boolean): Date {
  const now = engine.deps.clock.now().getTime()
  if (isBusy) return new Date(now + BUSY_MS)
  if (engine.stopping) return new Date(now + POLL_MS) // nothing is claimed any more; what comes back wakes
  const times = nextDue.map(({ partnerId, lane, dueAt }) => {
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

/**
 * What processes that died have begun: placements are given up, claims released. Whether anything is to be sent. Its failure is
 * not the turn's: what the turn recorded stays recorded.
 */
async function finishAbandoned(engine: Engine): Promise<boolean> {
  const { deps, stopping } = engine
  if (stopping) return false
  try {
    return await takeOver(engine)
  } catch (error) {
    deps.log.error({ err: error }, 'what another process had begun could not be finished')
    return false
  }
}

/** Beside the turns: a result may have a million bets, and no partner's deliveries wait for it. */
async function finishAbandonedResults(engine: Engine): Promise<void> {
  const { deps } = engine
  try {
    await finishResults({ ...deps, decided: () => engine.wake() }, () => engine.stopping)
  } catch (error) {
    deps.log.error({ err: error }, 'a result that another process had begun could not be finished')
  }
}

/** Once a second, however many turns there are. */
async function takeOver(engine: Engine): Promise<boolean> {
  const { deps, watch } = engine
  const now = deps.timers.elapsed()
  if (now - engine.lookedAt < POLL_MS) return false
  engine.lookedAt = now
  engine.results ??= finishAbandonedResults(engine).finally(() => {
    engine.results = undefined
  })
  const abandoned = watch.abandoned(await readHeldClaims(deps.db), now)
  const places = abandoned.filter(({ operation }) => operation === 'place').map((claim) => claim.bet_id)
  const others = abandoned.filter(({ operation }) => operation !== 'place')
  const released =
    others.length > 0 ? await deps.db.transaction((tx) => releaseClaims(tx, others, deps.clock.now())) : 0
  const givenUp = places.length > 0 ? await giveUpPlacing(deps, places) : 0
  return released + givenUp > 0
}

/** One call. No transaction is open; whatever happens ends as an answer, or, when it is too late to call, as nothing. */
async function send(engine: Engine, claim: Claim, startBefore: number): Promise<void> {
  const { deps } = engine
  const breaker = deps.breakers.of(claim.partner_id)
  const lane = laneOf(claim.operation)
  breaker.started(lane, deps.clock.now().getTime())
  const call = await callPartner(deps, claim, startBefore)
  breaker.ended(lane, call && endedBy(call.answer, deps.clock.now().getTime()))
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
): Promise<Omit<Finished, 'claim'> | undefined> {
  let startedAt = deps.clock.now()
  try {
    const client = await deps.partners.client(claim.partner_id, laneOf(claim.operation))
    startedAt = deps.clock.now()
    if (client === undefined) return { answer: notCalled('there is no such partner'), startedAt }
    if (performance.now() > startBefore || isLate(claim, startedAt)) return undefined
    return { answer: await client.call(claim.operation, claim.body, claim.bet_id), startedAt }
  } catch (error) {
    return { answer: notCalled(error instanceof Error ? error.message : String(error)), startedAt }
  }
}
