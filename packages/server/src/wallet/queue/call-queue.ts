/**
 * Queue of the bet calls, in parallel lanes.
 *
 * A lane processes the calls of its share of the players. While the database works on a batch, the
 * next batch gathers. So batches grow with the load, and a call in an idle lane does not wait. A
 * lane runs one batch at a time, with the calls of only a few buckets, because each bucket adds
 * cost.
 *
 * States of a lane:
 * - idle: a call → gathering
 * - gathering: the next turn of the event loop → applying
 * - applying: the batch was large → paused; calls wait → gathering; otherwise → idle
 * - paused (calls gather): calls wait → gathering; otherwise → idle
 *
 * States of a call:
 * - waiting: eligible → fast path; ineligible, busy or hot player → rules path; lane full or 4 s
 *   over → failed
 * - on the fast path: taken → answered; left → rules path; player busy → waiting, in front, at most
 *   three times
 * - on the rules path: decided → answered; batch failed → tried alone, then answered or failed
 * - on either path: 4.75 s nearly over → failed; the later outcome is ignored (W-20)
 */
import { answerDeadline, startDeadline } from '@purser/protocol/wire-limits'
import { type Cancel, environment } from '@purser/runtime/environment'
import { groupBy } from '@purser/runtime/group'
import type { Span } from '@purser/runtime/tracing'
import type { BetCall } from '../store/bet.ts'
import { bucketOf, chooseLane, countLanes } from '../store/bucket.ts'
import { applyBatch, type BatchObserver, type LaneBatch, type LaneWork, type QueueEntry } from './batch-execution.ts'
import type { BatchTimes } from './batch-times.ts'
import { enterLaneMode, type HasLaneMode } from './lane-mode.ts'
import { type BetCallOutcome, FAILED, isTooLate } from './rules-path.ts'

/** Calls per batch at most. */
const MAX_BATCH = 256
/** Attempts of a call on the fast path while its player is locked; then it waits for the lock. */
const MAX_ATTEMPTS = 3
/**
 * A player with more calls than this in a batch is hot. Its calls take the rules path together,
 * because the fast path takes one per batch.
 */
const HOT_PLAYER_CALLS = 4
/** Calls that may wait in a lane; further calls are refused at once. */
const MAX_WAITING = 4_000
/**
 * Waiting calls up to which a lane admits more (admission-queue.ts): two batches, so the next one
 * is always full.
 */
const ADMISSION_LIMIT = 2 * MAX_BATCH
/** A lane pauses after a batch of at least this number of calls. */
const BUSY_BATCH = 8
/** Waiting calls that end or prevent a pause. */
const ENOUGH_WAITING = 64
const MAX_REST_MS = 8
/** Waiting time, in milliseconds, of the first call after which a lane admits no more calls. */
const OVERLOADED_AFTER_MS = 2_500
/**
 * Buckets per batch at most. Each bucket has its own statements, so a batch of fewer buckets costs
 * less.
 */
const MAX_BUCKETS_OF_BATCH = 8
/**
 * Interval of the search for calls that waited too long for a batch or in one (W-20), in
 * milliseconds.
 */
const SWEEP_MS = 100

export interface CallQueueDeps extends BatchObserver {
  readonly buckets: number
  /**
   * The number of lanes for all buckets together. If it exceeds the number of buckets, it is
   * rounded down to a multiple of that number.
   */
  readonly laneCount: number
  openLane(): LaneWork
  onWaited(milliseconds: number): void
}

export interface QueuedCallResult {
  readonly outcome: BetCallOutcome
  /** Absent if the call was in no batch. */
  readonly batch?: BatchTimes | undefined
}

export interface CallQueue {
  /**
   * Resolves when the call's transaction is durable, the call has failed, or its time is over
   * (W-20); never rejects. `arrivedAt` is a time of `environment.monotonicNow()`.
   */
  submit(call: BetCall, arrivedAt: number, span?: Span): Promise<QueuedCallResult>
  /** Calls that wait or are being applied. */
  depth(): number
  /** Number of calls that may still be admitted; 0 while every lane is overloaded. */
  freeSlots(): number
}

interface Lane extends LaneWork, HasLaneMode {
  waiting: QueueEntry[]
  running: readonly QueueEntry[]
  /** Ends the pause. */
  wake(): void
}

export function createCallQueue(deps: CallQueueDeps): CallQueue {
  const { buckets } = deps
  const laneCount = countLanes(buckets, deps.laneCount)
  const lanes = Array.from(
    { length: laneCount },
    (): Lane => ({ ...deps.openLane(), waiting: [], running: [], mode: 'idle', wake() {} }),
  )
  let depth = 0
  let endSweeping: Cancel | undefined
  const sweep = () => {
    lanes.forEach(failOverdueCalls)
    lanes.forEach(timeOutRunningCalls)
    if (!lanes.every(hasNothingToSweep)) return
    endSweeping?.()
    endSweeping = undefined
  }
  return {
    depth: () => depth,
    freeSlots: () => lanes.reduce((sum, lane) => sum + countFreeSlots(lane), 0),
    submit(call, arrivedAt, span) {
      const bucket = bucketOf(call.player, buckets)
      const lane = lanes[chooseLane(call.player, buckets, laneCount)] as Lane
      if (lane.waiting.length >= MAX_WAITING) return Promise.resolve({ outcome: FAILED })
      endSweeping ??= environment.setRepeatingTimer(SWEEP_MS, sweep)
      return new Promise((resolve) => {
        depth += 1
        const answer = (outcome: BetCallOutcome, batch?: BatchTimes) => {
          depth -= 1
          resolve({ outcome, batch })
        }
        const timeOut = () => resolve({ outcome: FAILED })
        lane.waiting.push({
          call,
          bucket,
          arrivedAt,
          startBefore: startDeadline(arrivedAt),
          attempts: 0,
          span,
          answer,
          timeOut,
        })
        if (lane.mode === 'idle') void runLane(deps, lane)
        else if (lane.waiting.length >= ENOUGH_WAITING) lane.wake()
      })
    },
  }
}

function countFreeSlots({ waiting }: Lane): number {
  const [first] = waiting
  if (first !== undefined && environment.monotonicNow() - first.arrivedAt > OVERLOADED_AFTER_MS) return 0
  return Math.max(0, ADMISSION_LIMIT - waiting.length)
}

/**
 * Any entry may be overdue: a call that arrived slowly, or waited in the admission queue, is queued
 * after younger ones.
 */
function failOverdueCalls(lane: Lane): void {
  const now = environment.monotonicNow()
  const late = lane.waiting.filter((entry) => isTooLate(entry, now))
  if (late.length === 0) return
  lane.waiting = lane.waiting.filter((entry) => !isTooLate(entry, now))
  for (const entry of late) entry.answer(FAILED)
}

/** No remaining call can time out, so an idle process has no timer. */
function hasNothingToSweep({ waiting, running }: Lane): boolean {
  const now = environment.monotonicNow()
  return waiting.length === 0 && running.every((entry) => answerDeadline(entry.arrivedAt) < now + SWEEP_MS)
}

/** One sweep serves all running calls; a timer per call would cost more than its queue entry. */
function timeOutRunningCalls({ running }: Lane): void {
  const nextSweep = environment.monotonicNow() + SWEEP_MS
  for (const entry of running) if (answerDeadline(entry.arrivedAt) < nextSweep) entry.timeOut()
}

/** Each batch waits for one turn of the event loop, so calls of one network read share it. */
async function runLane(deps: CallQueueDeps, lane: Lane): Promise<void> {
  while (lane.waiting.length > 0) {
    enterLaneMode(lane, 'gathering')
    await nextTurn()
    failOverdueCalls(lane)
    enterLaneMode(lane, 'applying')
    const begunAt = environment.monotonicNow()
    const batch = dequeueBatch(deps, lane)
    lane.running = [...batch.fastPathCalls, ...batch.rulesPathCalls]
    await applyBatch(deps, lane, batch, (busy) => void lane.waiting.unshift(...busy))
    lane.running = []
    if (batch.fastPathCalls.length + batch.rulesPathCalls.length >= BUSY_BATCH)
      await pauseLane(lane, environment.monotonicNow() - begunAt)
  }
  enterLaneMode(lane, 'idle')
}

/**
 * Pauses a busy lane for the duration of its last batch. A batch costs Postgres as much as fifteen
 * calls, so fewer batches save CPU. A lane that is not busy never pauses.
 */
async function pauseLane(lane: Lane, tookMs: number): Promise<void> {
  const ms = Math.min(Math.trunc(tookMs), MAX_REST_MS)
  if (ms === 0 || lane.waiting.length >= ENOUGH_WAITING) return
  enterLaneMode(lane, 'paused')
  await new Promise<void>((resolve) => {
    const cancel = environment.setTimer(ms, resolve)
    lane.wake = () => {
      cancel()
      resolve()
    }
  })
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => environment.nextTurn(resolve))
}

/** Removes the first calls of the first few buckets; calls of other buckets stay. */
function dequeueFront(lane: Lane): QueueEntry[] {
  const buckets = new Set<number>()
  const taken: QueueEntry[] = []
  const staying: QueueEntry[] = []
  for (const entry of lane.waiting) {
    if (taken.length < MAX_BATCH && buckets.size < MAX_BUCKETS_OF_BATCH) buckets.add(entry.bucket)
    if (taken.length < MAX_BATCH && buckets.has(entry.bucket)) taken.push(entry)
    else staying.push(entry)
  }
  lane.waiting = staying
  return taken
}

/**
 * Selects from the first calls the calls of each player that may run together: one on the fast
 * path, or all on the rules path. The others return to the front in their order.
 */
function dequeueBatch({ onWaited }: CallQueueDeps, lane: Lane): LaneBatch {
  const byPlayer = groupBy(dequeueFront(lane), ({ call }) => call.player)
  const fastPathCalls: QueueEntry[] = []
  const rulesPathCalls: QueueEntry[] = []
  const staying: QueueEntry[] = []
  for (const entries of byPlayer.values()) {
    const [first, ...others] = entries as [QueueEntry, ...QueueEntry[]]
    if (entries.length > HOT_PLAYER_CALLS || first.attempts >= MAX_ATTEMPTS || !lane.isFastPathEligible(first.call))
      rulesPathCalls.push(...entries)
    else {
      fastPathCalls.push(first)
      staying.push(...others)
    }
  }
  lane.waiting.unshift(...staying)
  const taken = environment.monotonicNow()
  for (const { attempts, arrivedAt } of [...fastPathCalls, ...rulesPathCalls])
    if (attempts === 0) onWaited(taken - arrivedAt)
  return { fastPathCalls, rulesPathCalls }
}
