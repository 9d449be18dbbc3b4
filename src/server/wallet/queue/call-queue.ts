/**
 * The queue. A lane takes the calls of its share of the players; while a batch is with the database the next one gathers, so batches
 * grow with the load and a lone call waits for nobody. A lane has one batch at a time, of a few of its buckets: the rest of a batch's cost is
 * per bucket.
 *
 * A lane:  idle ──a call──► gathering ──the next turn──► applying ──the last batch was small, nobody waits──► idle
 *                             ▲   ▲                        │    │                                             ▲
 *                             │   └─────somebody waits─────┘    └──it was not──► resting ──nobody waits───────┘
 *                             └─────────────somebody waits─────────────────────────┘
 * A call:  waiting ──► in the gate ──taken──► answered
 *             ▲             ├──its player is busy, for the third time at most──► waiting, in front
 *             └─────────────┘
 *          in the gate ──left──► judged ──► answered
 *          waiting ──may not pass, or is of a busy or hot player──► judged ──the batch fails──► judged alone ──► answered or failed
 *          waiting ──the lane is full, or 4 s are over──► failed
 *          in the gate, judged ──4.75 s are nearly over──► failed, whatever becomes of it (W-20)
 */
import { answerDeadline, startDeadline } from '../../../protocol/wire-limits.ts'
import { type Cancel, environment } from '../../../runtime/environment.ts'
import { groupBy } from '../../../runtime/group.ts'
import type { Span } from '../../../runtime/tracing.ts'
import type { BetCall } from '../store/bet.ts'
import { bucketOf, chooseLane, countLanes } from '../store/bucket.ts'
import { applyBatch, type BatchObserver, type LaneBatch, type LaneWork, type QueueEntry } from './batch-execution.ts'
import type { BatchTimes } from './batch-times.ts'
import { enterLaneMode, type HasLaneMode } from './lane-mode.ts'
import { type BetCallOutcome, FAILED, isTooLate } from './rules-path.ts'

/** Calls in one batch at most. */
const MAX_BATCH = 256
/** Times that a call is tried at the gate while somebody else holds its player; then it waits for the lock. */
const MAX_ATTEMPTS = 3
/** A player with more calls than this in one batch is hot: they are judged together, since the gate takes one of them at a time. */
const HOT_PLAYER_CALLS = 4
/** Calls waiting in one lane at most; more are refused at once. */
const MAX_WAITING = 4_000
/**
 * Calls that wait in a lane while more are let in (load-shedder.ts): two batches, so that the next
 * one is always full.
 */
const ADMISSION_LIMIT = 2 * MAX_BATCH
/** Calls of a batch, from which on its lane rests behind it. */
const BUSY_BATCH = 8
/** Calls that wait, from which on the next batch is large enough. */
const ENOUGH_WAITING = 64
/** Milliseconds that a lane rests at most. */
const MAX_REST_MS = 8
/** Milliseconds since its arrival after which a call that still waits shows that its lane is too slow for more. */
const OVERLOADED_AFTER_MS = 2_500
/** Buckets of one batch at most: each has statements of its own, so a few with many calls each cost less than many with a few. */
const MAX_BUCKETS_OF_BATCH = 8
/** Milliseconds between two looks for calls that have waited too long, behind a batch that does not end or in it (W-20). */
const SWEEP_MS = 100

export interface CallQueueDeps extends BatchObserver {
  readonly buckets: number
  /** Of all buckets together; more where they are fewer than the lanes. */
  readonly laneCount: number
  openLane(): LaneWork
  /** Told how long each call waited for its batch. */
  onWaited(milliseconds: number): void
}

/** What became of a call, and on which way. */
export interface QueuedCallResult {
  readonly outcome: BetCallOutcome
  /** Absent when it came into no batch. */
  readonly batch?: BatchTimes | undefined
}

export interface CallQueue {
  /**
   * Resolves when the call's transaction is durable, or the call has failed, or its time is over
   * (W-20); never rejects. `arrivedAt` is `environment.monotonicNow()`.
   */
  submit(call: BetCall, arrivedAt: number, span?: Span): Promise<QueuedCallResult>
  /** Calls that wait or are being applied. */
  depth(): number
  /** How many more calls may come in; none while each lane is behind. */
  freeSlots(): number
}

interface Lane extends LaneWork, HasLaneMode {
  waiting: QueueEntry[]
  /** Of the batch at work. */
  running: readonly QueueEntry[]
  /** Ends the rest. */
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

/** A call from outside, where it waited unread (load-shedder.ts), stands behind younger ones. */
function failOverdueCalls(lane: Lane): void {
  const now = environment.monotonicNow()
  const late = lane.waiting.filter((entry) => isTooLate(entry, now))
  if (late.length === 0) return
  lane.waiting = lane.waiting.filter((entry) => !isTooLate(entry, now))
  for (const entry of late) entry.answer(FAILED)
}

/** Nobody is left whose time could come to be over: an idle process has no timer. */
function hasNothingToSweep({ waiting, running }: Lane): boolean {
  const now = environment.monotonicNow()
  return waiting.length === 0 && running.every((entry) => answerDeadline(entry.arrivedAt) < now + SWEEP_MS)
}

/** Of a batch that takes too long, or that never ends; a timer for each call would cost more than its place in the lane. */
function timeOutRunningCalls({ running }: Lane): void {
  const nextSweep = environment.monotonicNow() + SWEEP_MS
  for (const entry of running) if (answerDeadline(entry.arrivedAt) < nextSweep) entry.timeOut()
}

/** Each batch is put off for a turn, so that calls of one network read travel together. */
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
      await restLane(lane, environment.monotonicNow() - begunAt)
  }
  enterLaneMode(lane, 'idle')
}

/**
 * A batch costs Postgres as much as fifteen calls, whatever is in it. So a busy lane lets calls gather for as long again as its last batch
 * took: fewer batches then do the same work, and leave the processor to others. A lane that is not busy keeps nobody waiting.
 */
async function restLane(lane: Lane, tookMs: number): Promise<void> {
  const ms = Math.min(Math.trunc(tookMs), MAX_REST_MS)
  if (ms === 0 || lane.waiting.length >= ENOUGH_WAITING) return
  enterLaneMode(lane, 'resting')
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

/** The calls at the front, of the first few buckets that are there; those of others stay. */
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
 * The calls at the front, but of each player those only that may go together: one at the gate, or all with the rules. The others stay in
 * front, behind the one before them.
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
