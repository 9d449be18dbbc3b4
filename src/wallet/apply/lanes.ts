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
import { giveUpAt, startBefore } from '../../protocol/limits.ts'
import { groupBy } from '../../runtime/group.ts'
import type { Span } from '../../runtime/tracing.ts'
import { type Cancel, world } from '../../runtime/world.ts'
import type { BetCall } from '../store/bet.ts'
import { bucketOf, laneOf, lanesOf } from '../store/bucket.ts'
import { applyBatch, type Entry, type LaneBatch, type LaneWork, type Told } from './apply-batch.ts'
import type { BatchTimes } from './batch-times.ts'
import { FAILED, isTooLate, type Outcome } from './judge.ts'
import { enter, type Moded } from './lane-mode.ts'

/** Calls in one batch at most. */
const MAX_BATCH = 256
/** Times that a call is tried at the gate while somebody else holds its player; then it waits for the lock. */
const MAX_TRIES = 3
/** A player with more calls than this in one batch is hot: they are judged together, since the gate takes one of them at a time. */
const HOT = 4
/** Calls waiting in one lane at most; more are refused at once. */
const MAX_WAITING = 4_000
/** Calls that wait in a lane while more are let in (door.ts): two batches, so that the next one is always full. */
const ROOM = 2 * MAX_BATCH
/** Calls of a batch, from which on its lane rests behind it. */
const BUSY = 8
/** Calls that wait, from which on the next batch is large enough. */
const WORTHWHILE = 64
/** Milliseconds that a lane rests at most. */
const MOST_REST_MS = 8
/** Milliseconds since its arrival after which a call that still waits shows that its lane is too slow for more. */
const BEHIND_MS = 2_500
/** Buckets of one batch at most: each has statements of its own, so a few with many calls each cost less than many with a few. */
const MAX_BUCKETS_OF_BATCH = 8
/** Milliseconds between two looks for calls that have waited too long, behind a batch that does not end or in it (W-20). */
const SWEEP_MS = 100

export interface LanesDeps extends Told {
  readonly buckets: number
  /** Of all buckets together; more where they are fewer than the lanes. */
  readonly lanes: number
  openLane(): LaneWork
  /** Told how long each call waited for its batch. */
  onWaited(milliseconds: number): void
}

/** What became of a call, and on which way. */
export interface Answer {
  readonly outcome: Outcome
  /** Absent when it came into no batch. */
  readonly batch?: BatchTimes | undefined
}

export interface Lanes {
  /** Resolves when the call's transaction is durable, or the call has failed, or its time is over (W-20); never rejects. `arrivedAt` is `world.elapsed()`. */
  submit(call: BetCall, arrivedAt: number, span?: Span): Promise<Answer>
  /** Calls that wait or are being applied. */
  depth(): number
  /** How many more calls may come in; none while each lane is behind. */
  room(): number
}

interface Lane extends LaneWork, Moded {
  waiting: Entry[]
  /** Of the batch at work. */
  inside: readonly Entry[]
  /** Ends the rest. */
  wake(): void
}

export function createLanes(deps: LanesDeps): Lanes {
  const { buckets } = deps
  const most = lanesOf(buckets, deps.lanes)
  const lanes = Array.from(
    { length: most },
    (): Lane => ({ ...deps.openLane(), waiting: [], inside: [], mode: 'idle', wake() {} }),
  )
  let depth = 0
  let endSweeping: Cancel | undefined
  const sweep = () => {
    lanes.forEach(failLate)
    lanes.forEach(giveUp)
    if (!lanes.every(isSwept)) return
    endSweeping?.()
    endSweeping = undefined
  }
  return {
    depth: () => depth,
    room: () => lanes.reduce((sum, lane) => sum + roomIn(lane), 0),
    submit(call, arrivedAt, span) {
      const bucket = bucketOf(call.player, buckets)
      const lane = lanes[laneOf(call.player, buckets, most)] as Lane
      if (lane.waiting.length >= MAX_WAITING) return Promise.resolve({ outcome: FAILED })
      endSweeping ??= world.every(SWEEP_MS, sweep)
      return new Promise((resolve) => {
        depth += 1
        const answer = (outcome: Outcome, batch?: BatchTimes) => {
          depth -= 1
          resolve({ outcome, batch })
        }
        const giveUp = () => resolve({ outcome: FAILED })
        lane.waiting.push({
          call,
          bucket,
          arrivedAt,
          startBefore: startBefore(arrivedAt),
          tries: 0,
          span,
          answer,
          giveUp,
        })
        if (lane.mode === 'idle') void work(deps, lane)
        else if (lane.waiting.length >= WORTHWHILE) lane.wake()
      })
    },
  }
}

function roomIn({ waiting }: Lane): number {
  const [first] = waiting
  if (first !== undefined && world.elapsed() - first.arrivedAt > BEHIND_MS) return 0
  return Math.max(0, ROOM - waiting.length)
}

/** A call from outside, where it waited unread (door.ts), stands behind younger ones. */
function failLate(lane: Lane): void {
  const now = world.elapsed()
  const late = lane.waiting.filter((entry) => isTooLate(entry, now))
  if (late.length === 0) return
  lane.waiting = lane.waiting.filter((entry) => !isTooLate(entry, now))
  for (const entry of late) entry.answer(FAILED)
}

/** Nobody is left whose time could come to be over: an idle process has no timer. */
function isSwept({ waiting, inside }: Lane): boolean {
  const now = world.elapsed()
  return waiting.length === 0 && inside.every((entry) => giveUpAt(entry.arrivedAt) < now + SWEEP_MS)
}

/** Of a batch that takes too long, or that never ends; a timer for each call would cost more than its place in the lane. */
function giveUp({ inside }: Lane): void {
  const nextLook = world.elapsed() + SWEEP_MS
  for (const entry of inside) if (giveUpAt(entry.arrivedAt) < nextLook) entry.giveUp()
}

/** Each batch is put off for a turn, so that calls of one network read travel together. */
async function work(deps: LanesDeps, lane: Lane): Promise<void> {
  while (lane.waiting.length > 0) {
    enter(lane, 'gathering')
    await nextTurn()
    failLate(lane)
    enter(lane, 'applying')
    const begunAt = world.elapsed()
    const batch = takeBatch(deps, lane)
    lane.inside = [...batch.gated, ...batch.judged]
    await applyBatch(deps, lane, batch, (busy) => void lane.waiting.unshift(...busy))
    lane.inside = []
    if (batch.gated.length + batch.judged.length >= BUSY) await rest(lane, world.elapsed() - begunAt)
  }
  enter(lane, 'idle')
}

/**
 * A batch costs Postgres as much as fifteen calls, whatever is in it. So a busy lane lets calls gather for as long again as its last batch
 * took: fewer batches then do the same work, and leave the processor to others. A lane that is not busy keeps nobody waiting.
 */
async function rest(lane: Lane, tookMs: number): Promise<void> {
  const ms = Math.min(Math.trunc(tookMs), MOST_REST_MS)
  if (ms === 0 || lane.waiting.length >= WORTHWHILE) return
  enter(lane, 'resting')
  await new Promise<void>((resolve) => {
    const cancel = world.after(ms, resolve)
    lane.wake = () => {
      cancel()
      resolve()
    }
  })
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => world.nextTurn(resolve))
}

/** The calls at the front, of the first few buckets that are there; those of others stay. */
function takeFirst(lane: Lane): Entry[] {
  const buckets = new Set<number>()
  const taken: Entry[] = []
  const staying: Entry[] = []
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
function takeBatch({ onWaited }: LanesDeps, lane: Lane): LaneBatch {
  const byPlayer = groupBy(takeFirst(lane), ({ call }) => call.player)
  const gated: Entry[] = []
  const judged: Entry[] = []
  const staying: Entry[] = []
  for (const entries of byPlayer.values()) {
    const [first, ...others] = entries as [Entry, ...Entry[]]
    if (entries.length > HOT || first.tries >= MAX_TRIES || !lane.mayPass(first.call)) judged.push(...entries)
    else {
      gated.push(first)
      staying.push(...others)
    }
  }
  lane.waiting.unshift(...staying)
  const taken = world.elapsed()
  for (const { tries, arrivedAt } of [...gated, ...judged]) if (tries === 0) onWaited(taken - arrivedAt)
  return { gated, judged }
}
