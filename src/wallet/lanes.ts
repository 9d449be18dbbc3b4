/**
 * The queue. A lane takes the calls of its share of the players; while one batch is with the database the next one
 * gathers, so batches grow with the load and a lone call waits for nobody. A lane holds players of one bucket.
 *
 * waiting ──the lane is free──► in a batch ──commit──► answered
 *    │                             └──the batch fails──► each call again, alone ──► answered or failed
 *    └──the lane is full, or 4 s are over──► failed
 */
import { isOutage } from '../db/outage.ts'
import { LIMITS } from '../protocol/limits.ts'
import { FAILED, isTooLate, type Outcome, type WaitingCall } from './apply.ts'
import type { BetCall } from './bet.ts'
import { bucketOf, laneOf } from './bucket.ts'

/** Calls in one transaction at most. */
const MAX_BATCH = 256
/** Calls waiting in one lane at most; more are refused at once. */
const MAX_WAITING = 10_000

export interface LanesDeps {
  readonly buckets: number
  readonly lanesPerBucket: number
  /** Applies a batch in one transaction; rejects when nothing of it was written. */
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
  return {
    depth: () => depth,
    submit(call, arrivedAt) {
      const lane = lanes[
        bucketOf(call.player, buckets) + buckets * laneOf(call.player, buckets, lanesPerBucket)
      ] as Lane
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

/** Takes batches until nothing waits. The first turn is put off, so that calls of one network read travel together. */
async function work(deps: LanesDeps, lane: Lane): Promise<void> {
  lane.busy = true
  await new Promise(setImmediate)
  while (lane.waiting.length > 0) {
    const batch = lane.waiting.splice(0, MAX_BATCH)
    for (const entry of batch) deps.onWaited(performance.now() - entry.arrivedAt)
    await applyOrFail(deps, lane.bucket, batch)
  }
  lane.busy = false
}

async function applyOrFail(deps: LanesDeps, bucket: number, batch: readonly Entry[]): Promise<void> {
  const live = batch.filter((entry) => !failIfTooLate(entry))
  if (live.length === 0) return
  try {
    const outcomes = await deps.apply(bucket, live)
    live.forEach((entry, i) => {
      entry.answer(outcomes[i] ?? FAILED)
    })
  } catch (error) {
    deps.onFailure(error, live.length)
    if (live.length === 1 || isOutage(error)) for (const entry of live) entry.answer(FAILED)
    else for (const entry of live) await applyOrFail(deps, bucket, [entry]) // a poisoned call must not fail its neighbours
  }
}

function failIfTooLate(entry: Entry): boolean {
  const late = isTooLate(entry)
  if (late) entry.answer(FAILED)
  return late
}
