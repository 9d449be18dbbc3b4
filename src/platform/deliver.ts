/**
 * Sends what is due. One turn: record what has come back, claim what may go, commit, send without an open transaction,
 * sleep until something comes back, something new is decided, or the next delivery is due. Several processes can do this
 * on one database: a claim is theirs alone until its lease is over (outbox.ts).
 */

import type { Clock } from '../clock.ts'
import type { Db, Tx } from '../db/db.ts'
import type { Logger } from '../logger.ts'
import type { Money } from '../protocol/money.ts'
import type { Answer } from '../wallet-client/wallet-client.ts'
import type { FlowDeps } from './bet-flow.ts'
import { holdBets, saveTold, type Told } from './bet-store.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import type { PlatformMetrics } from './metrics.ts'
import {
  type AttemptRecord,
  type Claim,
  claimDue,
  type DeliveryStatus,
  insertAttempts,
  promoteNext,
  type Recorded,
  readNextDue,
  readOverduePlacements,
  recordResults,
} from './outbox.ts'
import { CALLS_PER_PARTNER, type Partners } from './partner.ts'
import { giveUpPlacing } from './placing.ts'
import { nextAttemptAt } from './schedule.ts'

/** Timers that a test can drive. */
export interface Timers {
  /** Runs `wake` once at (or shortly after) this time; returns the cancellation. */
  at(time: Date, wake: () => void): () => void
}

export interface DeliverDeps extends FlowDeps {
  readonly db: Db
  readonly clock: Clock
  readonly timers: Timers
  readonly partners: Partners
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

interface Finished {
  readonly claim: Claim
  readonly answer: Answer
  readonly startedAt: Date
}

interface Engine {
  readonly deps: DeliverDeps
  readonly breakers: Map<string, Breaker>
  readonly inFlight: Map<string, number>
  finished: Finished[]
  /** Ends the sleep between two turns. */
  wake: () => void
  stopping: boolean
}

export function startDeliverer(deps: DeliverDeps): Deliverer {
  const engine: Engine = {
    deps,
    breakers: new Map(),
    inFlight: new Map(),
    finished: [],
    wake: () => {},
    stopping: false,
  }
  const ended = run(engine)
  return {
    wake: () => engine.wake(),
    async stop() {
      engine.stopping = true
      engine.wake()
      await ended
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

/** Whoever wakes during a turn makes the sleep after it end at once. */
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

/** Resolves to the time of the next turn. A turn that fails loses nothing: what had come back is recorded by a later one. */
async function turn(engine: Engine): Promise<Date> {
  const { deps, finished } = engine
  engine.finished = []
  try {
    const { claims, nextDue, over } = await deps.db.transaction((tx) => recordAndClaim(engine, tx, finished))
    for (const { claim, status } of over) deps.metrics.delivered(claim.operation, status)
    for (const claim of claims) void send(engine, claim)
    if (!engine.stopping) await giveUpAbandoned(deps)
    return nextTurnAt(engine, nextDue)
  } catch (error) {
    engine.finished = [...finished, ...engine.finished]
    deps.log.error({ err: error }, 'a turn of deliveries failed')
    return new Date(deps.clock.now().getTime() + RETRY_TURN_MS)
  }
}

type NextDue = ReadonlyMap<string, Date>

async function recordAndClaim(
  engine: Engine,
  tx: Tx,
  finished: readonly Finished[],
): Promise<{ claims: Claim[]; nextDue: NextDue; over: Over[] }> {
  const over = await record(engine, tx, finished)
  const now = engine.deps.clock.now()
  const nextDue = await readNextDue(tx)
  if (engine.stopping) return { claims: [], nextDue, over }
  const free = [...nextDue].flatMap(([partnerId, dueAt]) => {
    const allowed =
      dueAt <= now ? breakerOf(engine, partnerId).allowance(engine.inFlight.get(partnerId) ?? 0, now.getTime()) : 0
    return allowed > 0 ? [{ partnerId, free: allowed }] : []
  })
  const claims = await claimDue(tx, free, now)
  return { claims, nextDue: claims.length > 0 ? await readNextDue(tx) : nextDue, over }
}

/** A partner whose due deliveries are held back is looked at again when one of its calls ends, or when its breaker allows a probe. */
function nextTurnAt(engine: Engine, nextDue: NextDue): Date {
  const now = engine.deps.clock.now().getTime()
  const times = [...nextDue].map(([partnerId, dueAt]) => {
    const breaker = breakerOf(engine, partnerId)
    if (dueAt.getTime() > now || breaker.allowance(engine.inFlight.get(partnerId) ?? 0, now) > 0) return dueAt.getTime()
    const probeAt = breaker.nextProbeAt()
    return probeAt !== null && probeAt > now ? probeAt : now + POLL_MS
  })
  return new Date(Math.min(now + POLL_MS, ...times))
}

function breakerOf({ breakers }: Engine, partnerId: string): Breaker {
  const known = breakers.get(partnerId) ?? createBreaker(CALLS_PER_PARTNER)
  breakers.set(partnerId, known)
  return known
}

function totalInFlight({ inFlight }: Engine): number {
  return [...inFlight.values()].reduce((sum, count) => sum + count, 0)
}

async function giveUpAbandoned(deps: DeliverDeps): Promise<void> {
  const betIds = await readOverduePlacements(deps.db, deps.clock.now())
  if (betIds.length > 0) await giveUpPlacing(deps, betIds)
}

/** One call. No transaction is open; whatever happens ends as an answer. */
async function send(engine: Engine, claim: Claim): Promise<void> {
  const { deps, inFlight } = engine
  const { partner_id: partnerId } = claim
  const startedAt = deps.clock.now()
  const breaker = breakerOf(engine, partnerId)
  inFlight.set(partnerId, (inFlight.get(partnerId) ?? 0) + 1)
  breaker.started(startedAt.getTime())
  const answer = await callPartner(deps, claim)
  deps.metrics.attempted(claim.operation, answer.outcome.kind === 'unknown' ? answer.outcome.reason : 'none')
  breaker.ended(answer.outcome.kind !== 'unknown')
  inFlight.set(partnerId, (inFlight.get(partnerId) ?? 1) - 1)
  engine.finished.push({ claim, answer, startedAt })
  engine.wake()
}

async function callPartner({ partners }: DeliverDeps, claim: Claim): Promise<Answer> {
  try {
    const client = await partners.client(claim.partner_id)
    if (client === undefined) return noAnswer('there is no such partner')
    return await client.call(claim.operation, claim.body, claim.bet_id)
  } catch (error) {
    return noAnswer(error instanceof Error ? error.message : String(error))
  }
}

function noAnswer(detail: string): Answer {
  return { outcome: { kind: 'unknown', reason: 'network', detail }, status: null, body: '', durationMs: 0 }
}

/** A delivery that has ended. */
interface Over {
  readonly claim: Claim
  readonly status: DeliveryStatus
}

/** The bets are locked first: whoever decides another delivery for one of them sees either this result, or is seen by the promotion. */
async function record({ deps }: Engine, tx: Tx, finished: readonly Finished[]): Promise<Over[]> {
  if (finished.length === 0) return []
  const now = deps.clock.now()
  await holdBets(
    tx,
    finished.map(({ claim }) => claim.bet_id),
  )
  await insertAttempts(tx, finished.map(toAttempt))
  const written = await recordResults(
    tx,
    finished.map((entry) => toResult(deps, entry, now)),
    now,
  )
  const over = written.filter((row) => row.status === 'done' || row.status === 'refused')
  await promoteNext(tx, over, now)
  const done = new Set(over.filter((row) => row.status === 'done').map((row) => row.delivery_id))
  await saveTold(tx, finished.filter(({ claim }) => done.has(claim.delivery_id)).map(toTold))
  const statuses = new Map(written.map((row) => [row.delivery_id, row.status]))
  return finished.flatMap(({ claim }) => {
    const status = statuses.get(claim.delivery_id)
    return status === undefined || status === 'pending' ? [] : [{ claim, status }]
  })
}

function toAttempt({ claim, answer, startedAt }: Finished): AttemptRecord {
  const { outcome, status, body, durationMs } = answer
  return {
    deliveryId: claim.delivery_id,
    number: claim.attempts,
    startedAt,
    durationMs,
    status,
    body,
    outcome: outcome.kind,
    code: outcome.kind === 'refused' ? outcome.code : null,
    error: outcome.kind === 'unknown' ? `${outcome.reason}: ${outcome.detail}` : null,
  }
}

/** C-4: to a rollback, 400 with code 8 says that it is done already. */
const ALREADY_PROCESSED = 8

/** An answer ends the delivery as done or refused; no answer plans the next attempt, or leaves it stuck (C-4, C-5). */
function toResult(deps: DeliverDeps, { claim, answer: { outcome } }: Finished, now: Date): Recorded {
  const base = { deliveryId: claim.delivery_id, attempt: claim.attempts, dueAt: null, code: null, error: null }
  if (outcome.kind === 'accepted') return { ...base, status: 'done' }
  if (outcome.kind === 'refused') {
    const isDone = claim.operation === 'rollback' && outcome.code === ALREADY_PROCESSED
    return { ...base, status: isDone ? 'done' : 'refused', code: outcome.code, error: outcome.message }
  }
  const first = claim.first_attempt_at.getTime()
  const next = nextAttemptAt(
    claim.operation,
    claim.attempts - claim.attempts_before,
    now.getTime() - first,
    deps.random(),
  )
  const error = `${outcome.reason}: ${outcome.detail}`
  return next === undefined
    ? { ...base, status: 'stuck', error }
    : { ...base, status: 'pending', dueAt: new Date(first + next), error }
}

/** What the partner has acknowledged, read from what was sent: exactly that was acknowledged. */
function toTold({ claim }: Finished): Told {
  const betId = claim.bet_id
  if (claim.operation === 'rollback') return { betId, status: 'cancelled', payout: null, resultType: null }
  if (claim.operation === 'unsettle') return { betId, status: 'open', payout: null, resultType: null }
  return { betId, status: 'settled', payout: claim.payout ?? (0n as Money), resultType: claim.result_type }
}
