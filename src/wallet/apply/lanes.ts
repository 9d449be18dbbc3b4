/**
 * The queue. A lane takes the calls of its share of the players; while batches are with the database the next one gathers,
 * so batches grow with the load and a lone call waits for nobody. A lane holds players of one bucket.
 *
 * waiting ──the lane is free──► in a batch ──commit──► answered
 *    │                             └──the batch fails──► each call again, alone ──► answered or failed
 *    └──the lane is full, or 4 s are over──► failed
 */
import { isConflict, isLockTimeout, isOutage } from '../../db/errors.ts'
import { inTurn } from '../../http/turns.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import { LIMITS } from '../../protocol/limits.ts'
import type { BetCall } from '../store/bet.ts'
import { bucketOf, laneOf } from '../store/bucket.ts'
import { FAILED, isTooLate, type Outcome, type WaitingCall } from './apply.ts'

/** Calls in one transaction at most. */
const MAX_BATCH = 256
/**
 * A batch is sent before the batch in front is committed only if at least this many times as many calls wait as are in the
 * batch in front. Otherwise it waits for that one's end: each batch has a fixed cost, and an early small batch does not pay.
 */
const EARLY_GROWTH = 0.7
/** Calls waiting in one lane at most; more are refused at once. */
const MAX_WAITING = 4_000
/** Calls that wait in a lane while more are let in (door.ts): two batches, so that the next one is always full. */
const ROOM = 2 * MAX_BATCH
/** Milliseconds since its arrival after which a call that still waits shows that its lane is too slow for more. */
const BEHIND_MS = 2_500
/** Milliseconds between two looks for calls that have waited too long behind a batch that does not end. */
const SWEEP_MS = 100

/**
 * Applies a batch in one transaction, after the batches that the same lane began before. It rejects when nothing of the batch
 * was written, or when that is not known. `onSent` is called when the next batch can be given, at the latest when the promise settles.
 */
export type ApplyInLane = (calls: readonly WaitingCall[], onSent: () => void) => Promise<Outcome[]>

export interface LanesDeps {
  readonly buckets: number
  readonly lanesPerBucket: number
  openLane(bucket: number): ApplyInLane
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
  /** How many more calls may come in; none while each lane is behind. */
  room(): number
}

interface Entry extends WaitingCall {
  readonly arrivedAt: number
  answer(outcome: Outcome): void
}

interface Lane {
  readonly apply: ApplyInLane
  waiting: Entry[]
  busy: boolean
  /** Called when this many calls wait. */
  wanted: { readonly count: number; tell(): void }
}

const NOBODY: ReadonlySet<PlayerId> = new Set()
const NOTHING_WANTED: Lane['wanted'] = { count: Number.POSITIVE_INFINITY, tell() {} }

export function createLanes(deps: LanesDeps): Lanes {
  const { buckets, lanesPerBucket } = deps
  const lanes = Array.from(
    { length: buckets * lanesPerBucket },
    (_, i): Lane => ({ apply: deps.openLane(i % buckets), waiting: [], busy: false, wanted: NOTHING_WANTED }),
  )
  let depth = 0
  setInterval(() => lanes.forEach(failLate), SWEEP_MS).unref()
  return {
    depth: () => depth,
    room: () => lanes.reduce((sum, lane) => sum + roomIn(lane), 0),
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
        if (lane.waiting.length >= lane.wanted.count) lane.wanted.tell()
      })
    },
  }
}

function roomIn({ waiting }: Lane): number {
  const [first] = waiting
  if (first !== undefined && performance.now() - first.arrivedAt > BEHIND_MS) return 0
  return Math.max(0, ROOM - waiting.length)
}

/** Calls wait in the order of their arrival, so the late ones are at the front. */
function failLate(lane: Lane): void {
  const late = lane.waiting.findIndex((entry) => !isTooLate(entry))
  const count = late === -1 ? lane.waiting.length : late
  for (const entry of lane.waiting.splice(0, count)) entry.answer(FAILED)
}

/**
 * Takes batches until no call waits. At most two batches are with the database: one is committed while the other is read and
 * judged. Each batch is put off for a turn, so that calls of one network read travel together. After a batch has failed, the
 * next one is not sent early: the batch between them may fail too, and its calls would meet a silent database for the third
 * time, while their time is enough for two (postgres.ts).
 */
async function work(deps: LanesDeps, lane: Lane): Promise<void> {
  lane.busy = true
  let ending = Promise.resolve(true)
  let atWork = NOBODY
  await nextTurn()
  failLate(lane)
  while (lane.waiting.length > 0) {
    const batch = takeBatch(lane, atWork)
    if (batch.length === 0) {
      await ending
      failLate(lane)
      continue
    }
    const taken = performance.now()
    for (const entry of batch) deps.onWaited(taken - entry.arrivedAt)
    const before = ending
    await new Promise<void>((onSent) => {
      ending = see(deps, lane, batch, onSent)
    })
    const isWellInFront = await before
    const players = new Set(batch.map(({ call }) => call.player))
    atWork = players
    ending = ending.then((isWell) => {
      if (atWork === players) atWork = NOBODY
      return isWell
    })
    const enough = gathered(lane, Math.min(EARLY_GROWTH * batch.length, MAX_BATCH))
    await (isWellInFront ? Promise.race([ending, enough]) : ending)
    await nextTurn()
    failLate(lane)
    if (lane.waiting.length === 0) await ending // the next call must not overtake a batch that is still with the database
  }
  lane.busy = false
}

/**
 * Takes the calls that wait, but not those of a player who has a call in the batch that is with the database: such a call is
 * judged by what that batch leaves, so its whole batch would have to wait.
 */
function takeBatch(lane: Lane, atWork: ReadonlySet<PlayerId>): Entry[] {
  if (atWork.size === 0) return lane.waiting.splice(0, MAX_BATCH)
  const batch: Entry[] = []
  const left: Entry[] = []
  for (const entry of lane.waiting) {
    const isTaken = batch.length < MAX_BATCH && !atWork.has(entry.call.player)
    if (isTaken) batch.push(entry)
    else left.push(entry)
  }
  lane.waiting = left
  return batch
}

/** Resolves when this many calls wait. */
function gathered(lane: Lane, count: number): Promise<void> {
  return new Promise((resolve) => {
    lane.wanted = { count, tell: resolve }
    if (lane.waiting.length >= count) resolve()
  })
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Sees a batch to its end: every call of it is answered. Resolves to whether it went through as one. */
async function see(deps: LanesDeps, lane: Lane, batch: readonly Entry[], onSent: () => void): Promise<boolean> {
  const error = await tryBatch(deps, lane, batch, onSent)
  if (error !== undefined) await afterFailure(deps, lane, batch, error)
  return error === undefined
}

/** Answers all calls of a batch, or resolves to the error and answers none. */
async function tryBatch(
  deps: LanesDeps,
  lane: Lane,
  batch: readonly Entry[],
  onSent: () => void = () => {},
): Promise<unknown> {
  try {
    const outcomes = await lane.apply(batch, onSent)
    for (const [i, entry] of batch.entries()) inTurn(() => entry.answer(outcomes[i] ?? FAILED))
    return undefined
  } catch (error) {
    deps.onFailure(error, batch.length)
    return error ?? new Error('a batch failed without an error')
  }
}

/** A poisoned call must not fail its neighbours: each goes through alone, unless the database itself is down. */
async function afterFailure(deps: LanesDeps, lane: Lane, batch: readonly Entry[], error: unknown): Promise<void> {
  if (isOutage(error)) for (const entry of batch) entry.answer(FAILED)
  else if (batch.length > 1 || isConflict(error)) await applyOneByOne(deps, lane, batch)
  else for (const entry of batch) entry.answer(FAILED)
}

/** A locked player is waited for once, not once per call; a database that is down is not waited for at all. */
async function applyOneByOne(deps: LanesDeps, lane: Lane, batch: readonly Entry[]): Promise<void> {
  const locked = new Set<PlayerId>()
  let isOut = false
  for (const entry of batch) {
    const { player } = entry.call
    if (isOut || locked.has(player) || isTooLate(entry)) {
      entry.answer(FAILED)
      continue
    }
    const error = await tryAlone(deps, lane, entry)
    if (error === undefined) continue
    if (isLockTimeout(error)) locked.add(player)
    isOut = isOutage(error)
    entry.answer(FAILED)
  }
}

/** A call that met the write of another call is judged once more, on what that write left. */
async function tryAlone(deps: LanesDeps, lane: Lane, entry: Entry): Promise<unknown> {
  const error = await tryBatch(deps, lane, [entry])
  return isConflict(error) ? tryBatch(deps, lane, [entry]) : error
}
