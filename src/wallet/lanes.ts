/**
 * The queue. A lane takes the calls of its share of the players; while one batch is with the database the next one
 * gathers, so batches grow with the load and a lone call waits for nobody. A lane holds players of one bucket.
 *
 * waiting ──the lane is free──► in a batch ──commit──► answered
 *    │                             └──the batch fails──► each call again, alone ──► answered or failed
 *    └──the lane is full, or 4 s are over──► failed
 */
import { isConflict, isLockTimeout, isOutage } from '../db/errors.ts'
import type { PlayerId } from '../protocol/ids.ts'
import { LIMITS } from '../protocol/limits.ts'
import { FAILED, isTooLate, type Outcome, type WaitingCall } from './apply.ts'
import type { BetCall } from './bet.ts'
import { bucketOf, laneOf } from './bucket.ts'

/** Calls in one transaction at most. */
const MAX_BATCH = 256
/** Calls waiting in one lane at most; more are refused at once. */
const MAX_WAITING = 4_000
/** Answers that are written before the event loop looks at the network again. */
const ANSWERS_PER_TURN = 16
/** Milliseconds between two looks for calls that have waited too long behind a batch that does not end. */
const SWEEP_MS = 100

export interface LanesDeps {
  readonly buckets: number
  readonly lanesPerBucket: number
  /** Applies a batch in one transaction; rejects when nothing of it was written, or nobody knows. */
  apply(bucket: number, calls: readonly WaitingCall[]): Promise<Outcome[]>
  /** Told of each failure of a batch or call, with the number of calls it concerned. */
  onFailure(error: unknown, calls: number): void
  /** Told how long each call waited for its batch. */
  onWaited(milliseconds: number): void
}

export interface Lanes {
  /** Resolves when the call's transaction is durable, or the call has failed; never rejects. `arrivedAt` is `performance.now()`. */
  submit(call: BetCall, arrivedAt: number): Promise<Outcome>
  /** Calls that wait or are being applied. */
  depth(): number
}

interface Entry extends WaitingCall {
  readonly arrivedAt: number
  answer(outcome: Outcome): void
}

interface Lane {
  readonly bucket: number
  waiting: Entry[]
  busy: boolean
}

export function createLanes(deps: LanesDeps): Lanes {
  const { buckets, lanesPerBucket } = deps
  const lanes = Array.from(
    { length: buckets * lanesPerBucket },
    (_, i): Lane => ({ bucket: i % buckets, waiting: [], busy: false }),
  )
  let depth = 0
  setInterval(() => lanes.forEach(failLate), SWEEP_MS).unref()
  return {
    depth: () => depth,
    submit(call, arrivedAt) {
      const index = bucketOf(call.player, buckets) + buckets * laneOf(call.player, buckets, lanesPerBucket)
      const lane = lanes[index] as Lane
      if (lane.waiting.length >= MAX_WAITING) return Promise.resolve(FAILED)
      return new Promise((resolve) => {
        depth += 1
        const answer = (outcome: Outcome) => {
          depth -= 1
          resolve(outcome)
        }
        lane.waiting.push({ call, arrivedAt, startBefore: arrivedAt + LIMITS.startMs, answer })
        if (!lane.busy) void work(deps, lane)
      })
    },
  }
}

/** Calls wait in the order of their arrival, so the late ones are at the front. */
function failLate(lane: Lane): void {
  const late = lane.waiting.findIndex((entry) => !isTooLate(entry))
  const count = late === -1 ? lane.waiting.length : late
  for (const entry of lane.waiting.splice(0, count)) entry.answer(FAILED)
}

/** Takes batches until nothing waits. The first turn is put off, so that calls of one network read travel together. */
async function work(deps: LanesDeps, lane: Lane): Promise<void> {
  lane.busy = true
  await new Promise(setImmediate)
  failLate(lane)
  while (lane.waiting.length > 0) {
    const batch = lane.waiting.splice(0, MAX_BATCH)
    for (const entry of batch) deps.onWaited(performance.now() - entry.arrivedAt)
    const error = await tryBatch(deps, lane.bucket, batch)
    if (error !== undefined) await afterFailure(deps, lane.bucket, batch, error)
    failLate(lane)
  }
  lane.busy = false
}

/** Answers all calls of a batch, or resolves to the error and answers none. */
async function tryBatch(deps: LanesDeps, bucket: number, batch: readonly Entry[]): Promise<unknown> {
  try {
    const outcomes = await deps.apply(bucket, batch)
    answerInTurns(batch, outcomes) // the next batch is sent first: the database works while answers are written
    return undefined
  } catch (error) {
    deps.onFailure(error, batch.length)
    return error ?? new Error('a batch failed without an error')
  }
}

/** In turns, between which the database's answer to the next batch is looked for: it must not wait behind 256 replies. */
function answerInTurns(batch: readonly Entry[], outcomes: readonly Outcome[], from = 0): void {
  setImmediate(() => {
    const to = Math.min(from + ANSWERS_PER_TURN, batch.length)
    for (let i = from; i < to; i++) batch[i]?.answer(outcomes[i] ?? FAILED)
    if (to < batch.length) answerInTurns(batch, outcomes, to)
  })
}

/** A poisoned call must not fail its neighbours: each goes through alone, unless the database itself is down. */
async function afterFailure(deps: LanesDeps, bucket: number, batch: readonly Entry[], error: unknown): Promise<void> {
  if (isOutage(error)) for (const entry of batch) entry.answer(FAILED)
  else if (batch.length > 1 || isConflict(error)) await applyOneByOne(deps, bucket, batch)
  else for (const entry of batch) entry.answer(FAILED)
}

/** Waits for a locked player once, not once per call. */
async function applyOneByOne(deps: LanesDeps, bucket: number, batch: readonly Entry[]): Promise<void> {
  const locked = new Set<PlayerId>()
  for (const entry of batch) {
    const { player } = entry.call
    if (locked.has(player) || isTooLate(entry)) {
      entry.answer(FAILED)
      continue
    }
    const error = await tryAlone(deps, bucket, entry)
    if (error === undefined) continue
    if (isLockTimeout(error)) locked.add(player)
    entry.answer(FAILED)
  }
}

/** A call that met another one's write is judged once more, on what that one left. */
async function tryAlone(deps: LanesDeps, bucket: number, entry: Entry): Promise<unknown> {
  const error = await tryBatch(deps, bucket, [entry])
  return isConflict(error) ? tryBatch(deps, bucket, [entry]) : error
}
