/**
 * The queue. A lane takes the calls of its share of the players; while a batch is with the database the next one gathers, so batches
 * grow with the load and a lone call waits for nobody. A lane holds players of one bucket, and has one batch at a time.
 *
 * A lane:  idle ──a call──► gathering ──the next turn──► applying ──nobody waits──► idle
 *                               ▲                            │
 *                               └────────somebody waits──────┘
 * A call:  waiting ──► in the gate ──taken──► answered
 *             ▲             ├──its player is busy, for the third time at most──► waiting, in front
 *             └─────────────┘
 *          in the gate ──left──► judged ──► answered
 *          waiting ──may not pass, or is of a busy or hot player──► judged ──the batch fails──► judged alone ──► answered or failed
 *          waiting ──the lane is full, or 4 s are over──► failed
 */
import { strict as assert } from 'node:assert'
import { isConflict, isLockTimeout, isOutage } from '../../db/errors.ts'
import { inTurn } from '../../http/turns.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { groupBy } from '../../runtime/group.ts'
import type { Span } from '../../runtime/tracing.ts'
import type { BetCall } from '../store/bet.ts'
import { bucketOf, laneOf } from '../store/bucket.ts'
import { type BatchTimes, beginBatch } from './batch-times.ts'
import type { Verdict } from './gate.ts'
import { FAILED, isTooLate, type Outcome, type WaitingCall } from './judge.ts'

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
/** Milliseconds since its arrival after which a call that still waits shows that its lane is too slow for more. */
const BEHIND_MS = 2_500
/** Milliseconds between two looks for calls that have waited too long behind a batch that does not end. */
const SWEEP_MS = 100

/** What a lane does with its calls. Both reject when nothing was written, or when that is not known. */
export interface LaneWork {
  mayPass(call: BetCall): boolean
  /** Of calls that may pass, at most one of each player. */
  take(calls: readonly WaitingCall[], span?: Span): Promise<Verdict[]>
  judge(calls: readonly WaitingCall[], span?: Span): Promise<Outcome[]>
}

export interface LanesDeps {
  readonly buckets: number
  readonly lanesPerBucket: number
  openLane(bucket: number): LaneWork
  /** Told of each failure of a batch or call, with the number of calls it concerned. */
  onFailure(error: unknown, calls: number): void
  /** Told how long each call waited for its batch. */
  onWaited(milliseconds: number): void
  /** Told how many calls of a batch the gate took. */
  onTaken(calls: number): void
}

/** What became of a call, and on which way. */
export interface Answer {
  readonly outcome: Outcome
  /** Absent when it came into no batch. */
  readonly batch?: BatchTimes | undefined
}

export interface Lanes {
  /** Resolves when the call's transaction is durable, or the call has failed; never rejects. `arrivedAt` is `performance.now()`. */
  submit(call: BetCall, arrivedAt: number, span?: Span): Promise<Answer>
  /** Calls that wait or are being applied. */
  depth(): number
  /** How many more calls may come in; none while each lane is behind. */
  room(): number
}

interface Entry extends WaitingCall {
  readonly arrivedAt: number
  /** At the gate so far. */
  tries: number
  readonly span: Span | undefined
  answer(outcome: Outcome, batch?: BatchTimes): void
}

/** The modes that a lane may enter from each. */
const MODES = { idle: ['gathering'], gathering: ['applying'], applying: ['gathering', 'idle'] } as const
type Mode = keyof typeof MODES

interface Lane extends LaneWork {
  mode: Mode
  waiting: Entry[]
}

function enter(lane: Lane, mode: Mode): void {
  assert(
    MODES[lane.mode].some((next) => next === mode),
    `a lane goes from ${lane.mode} to ${mode}`,
  )
  lane.mode = mode
}

export function createLanes(deps: LanesDeps): Lanes {
  const { buckets, lanesPerBucket } = deps
  const lanes = Array.from(
    { length: buckets * lanesPerBucket },
    (_, i): Lane => ({ ...deps.openLane(i % buckets), waiting: [], mode: 'idle' }),
  )
  let depth = 0
  setInterval(() => lanes.forEach(failLate), SWEEP_MS).unref()
  return {
    depth: () => depth,
    room: () => lanes.reduce((sum, lane) => sum + roomIn(lane), 0),
    submit(call, arrivedAt, span) {
      const index = bucketOf(call.player, buckets) + buckets * laneOf(call.player, buckets, lanesPerBucket)
      const lane = lanes[index] as Lane
      if (lane.waiting.length >= MAX_WAITING) return Promise.resolve({ outcome: FAILED })
      return new Promise((resolve) => {
        depth += 1
        const answer = (outcome: Outcome, batch?: BatchTimes) => {
          depth -= 1
          resolve({ outcome, batch })
        }
        lane.waiting.push({ call, arrivedAt, startBefore: arrivedAt + LIMITS.startMs, tries: 0, span, answer })
        if (lane.mode === 'idle') void work(deps, lane)
      })
    },
  }
}

function roomIn({ waiting }: Lane): number {
  const [first] = waiting
  if (first !== undefined && performance.now() - first.arrivedAt > BEHIND_MS) return 0
  return Math.max(0, ROOM - waiting.length)
}

/** Calls wait in the order of their arrival, but for those that were put back, which are the oldest: the late ones are at the front. */
function failLate(lane: Lane): void {
  const late = lane.waiting.findIndex((entry) => !isTooLate(entry))
  const count = late === -1 ? lane.waiting.length : late
  for (const entry of lane.waiting.splice(0, count)) entry.answer(FAILED)
}

/** Each batch is put off for a turn, so that calls of one network read travel together. */
async function work(deps: LanesDeps, lane: Lane): Promise<void> {
  while (lane.waiting.length > 0) {
    enter(lane, 'gathering')
    await nextTurn()
    failLate(lane)
    enter(lane, 'applying')
    await apply(deps, lane, takeBatch(deps, lane))
  }
  enter(lane, 'idle')
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

interface Batch {
  readonly gated: readonly Entry[]
  readonly judged: readonly Entry[]
}

/**
 * The calls at the front, but of each player those only that may go together: one at the gate, or all with the rules. The others stay in
 * front, behind the one before them.
 */
function takeBatch({ onWaited }: LanesDeps, lane: Lane): Batch {
  const byPlayer = groupBy(lane.waiting.splice(0, MAX_BATCH), ({ call }) => call.player)
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
  const taken = performance.now()
  for (const { tries, arrivedAt } of [...gated, ...judged]) if (tries === 0) onWaited(taken - arrivedAt)
  return { gated, judged }
}

/** Every call of the batch is answered, or waits again because its player is busy. */
async function apply(deps: LanesDeps, lane: Lane, batch: Batch): Promise<void> {
  const rest = batch.gated.length === 0 ? batch.judged : await passGate(deps, lane, batch)
  if (rest.length > 0) await judge(deps, lane, rest)
}

/**
 * Resolves to what the rules are to judge: what the gate has left, or could not do at all, and behind it what may not pass. A database
 * that is down is not asked again: each time it stays silent costs the calls that wait as long as it took to find out.
 */
async function passGate(deps: LanesDeps, lane: Lane, { gated, judged }: Batch): Promise<readonly Entry[]> {
  const { span, end } = beginBatch(gated, 'gate')
  try {
    const verdicts = await lane.take(gated, span)
    const batch = end()
    const of = (kind: Verdict['kind']) => gated.filter((_, i) => verdicts[i]?.kind === kind)
    for (const [i, entry] of gated.entries()) answerTaken(entry, verdicts[i], batch)
    waitAgain(lane, of('busy'))
    deps.onTaken(of('taken').length)
    return [...of('left'), ...judged]
  } catch (error) {
    end(true)
    deps.onFailure(error, gated.length)
    if (!isOutage(error)) return [...gated, ...judged]
    for (const entry of [...gated, ...judged]) entry.answer(FAILED)
    return []
  }
}

function answerTaken(entry: Entry, verdict: Verdict | undefined, batch: BatchTimes): void {
  if (verdict?.kind !== 'taken') return
  const { at } = verdict
  inTurn(() => entry.answer({ kind: 'accepted', betId: entry.call.betId, at }, batch))
}

/** In front of the calls that came later, so that a player's calls stay in order. */
function waitAgain(lane: Lane, busy: readonly Entry[]): void {
  for (const entry of busy) entry.tries += 1
  lane.waiting.unshift(...busy)
}

async function judge(deps: LanesDeps, lane: Lane, batch: readonly Entry[]): Promise<void> {
  const error = await tryBatch(deps, lane, batch)
  if (error !== undefined) await afterFailure(deps, lane, batch, error)
}

/** Answers all calls of a batch, or resolves to the error and answers none. */
async function tryBatch(deps: LanesDeps, lane: Lane, entries: readonly Entry[]): Promise<unknown> {
  const { span, end } = beginBatch(entries, 'rules')
  try {
    const outcomes = await lane.judge(entries, span)
    const batch = end()
    for (const [i, entry] of entries.entries()) inTurn(() => entry.answer(outcomes[i] ?? FAILED, batch))
    return undefined
  } catch (error) {
    end(true)
    deps.onFailure(error, entries.length)
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
