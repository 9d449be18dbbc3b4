/**
 * Execution of a batch of bet calls. The fast path (SQL for plainly valid calls) takes as many as
 * it can, and the rules path decides the remaining calls.
 *
 * Each call is answered once. If a batch fails, its calls are tried one by one, unless the database
 * is down.
 */

import type { PlayerId } from '@purser/protocol/wire-ids'
import { groupBy } from '@purser/runtime/group'
import type { Span } from '@purser/runtime/tracing'
import { isConflict, isLockTimeout, isOutage } from '../../core/database/database-errors.ts'
import { scheduleWork } from '../../core/partner-wire/cooperative-scheduler.ts'
import type { BetCall } from '../store/bet.ts'
import { type BatchTimes, beginBatch } from './batch-times.ts'
import type { FastPathOutcome } from './fast-path.ts'
import { type BetCallOutcome, FAILED, isTooLate, type WaitingCall } from './rules-path.ts'

/** Both methods reject if nothing was written, or if the outcome is unknown. */
export interface LaneWork {
  isFastPathEligible(call: BetCall): boolean
  /** Eligible calls, at most one per player, of one or several buckets. */
  runFastPath(calls: readonly WaitingCall[], span?: Span): Promise<FastPathOutcome[]>
  /** Calls of one bucket. */
  runRulesPath(calls: readonly WaitingCall[], span?: Span): Promise<BetCallOutcome[]>
}

export interface BatchObserver {
  /** `calls` is the number of calls in the failed batch. */
  onFailure(error: unknown, calls: number): void
  /** `calls` is the number of calls that the fast path took from a batch. */
  onFastPath(calls: number): void
}

export interface QueueEntry extends WaitingCall {
  readonly arrivedAt: number
  /** On the fast path. */
  attempts: number
  readonly span: Span | undefined
  answer(outcome: BetCallOutcome, batch?: BatchTimes): void
  /** Answers now with a failure; the later outcome is ignored. */
  timeOut(): void
}

export interface LaneBatch {
  readonly fastPathCalls: readonly QueueEntry[]
  readonly rulesPathCalls: readonly QueueEntry[]
}

/**
 * Answers each call of the batch, or puts a call back because its player is locked. Such a call
 * returns in front of later calls, so a player's calls stay in order.
 */
export async function applyBatch(
  deps: BatchObserver,
  lane: LaneWork,
  batch: LaneBatch,
  putBack: (busy: readonly QueueEntry[]) => void,
): Promise<void> {
  const rest = batch.fastPathCalls.length === 0 ? batch.rulesPathCalls : await tryFastPath(deps, lane, batch, putBack)
  for (const some of groupBy(rest, ({ bucket }) => bucket).values()) await applyRules(deps, lane, some)
}

/**
 * Resolves to the calls for the rules path: calls that the fast path left or failed on, then
 * ineligible calls. After an outage there is no second attempt, which would cost the waiting calls
 * another time-out.
 */
async function tryFastPath(
  deps: BatchObserver,
  lane: LaneWork,
  { fastPathCalls, rulesPathCalls }: LaneBatch,
  putBack: (busy: readonly QueueEntry[]) => void,
): Promise<readonly QueueEntry[]> {
  const { span, end } = beginBatch(fastPathCalls, 'fast')
  try {
    const verdicts = await lane.runFastPath(fastPathCalls, span)
    const batch = end()
    const of = (kind: FastPathOutcome['kind']) => fastPathCalls.filter((_, i) => verdicts[i]?.kind === kind)
    for (const [i, entry] of fastPathCalls.entries()) answerAccepted(entry, verdicts[i], batch)
    const busy = of('busy')
    for (const entry of busy) entry.attempts += 1
    putBack(busy)
    deps.onFastPath(of('taken').length)
    return [...of('left'), ...rulesPathCalls]
  } catch (error) {
    end(true)
    deps.onFailure(error, fastPathCalls.length)
    if (!isOutage(error)) return [...fastPathCalls, ...rulesPathCalls]
    for (const entry of [...fastPathCalls, ...rulesPathCalls]) entry.answer(FAILED)
    return []
  }
}

function answerAccepted(entry: QueueEntry, verdict: FastPathOutcome | undefined, batch: BatchTimes): void {
  if (verdict?.kind !== 'taken') return
  const { at } = verdict
  scheduleWork(() => entry.answer({ kind: 'accepted', betId: entry.call.betId, at }, batch))
}

async function applyRules(deps: BatchObserver, lane: LaneWork, batch: readonly QueueEntry[]): Promise<void> {
  const error = await tryBatch(deps, lane, batch)
  if (error !== undefined) await handleBatchFailure(deps, lane, batch, error)
}

/** Answers all calls of a batch, or resolves to the error and answers no call. */
async function tryBatch(deps: BatchObserver, lane: LaneWork, entries: readonly QueueEntry[]): Promise<unknown> {
  const { span, end } = beginBatch(entries, 'rules')
  try {
    const outcomes = await lane.runRulesPath(entries, span)
    const batch = end()
    for (const [i, entry] of entries.entries()) scheduleWork(() => entry.answer(outcomes[i] ?? FAILED, batch))
    return undefined
  } catch (error) {
    end(true)
    deps.onFailure(error, entries.length)
    return error ?? new Error('a batch failed without an error')
  }
}

/**
 * One poisoned call must not fail the others: each call is tried alone, unless the database is
 * down.
 */
async function handleBatchFailure(
  deps: BatchObserver,
  lane: LaneWork,
  batch: readonly QueueEntry[],
  error: unknown,
): Promise<void> {
  if (isOutage(error)) for (const entry of batch) entry.answer(FAILED)
  else if (batch.length > 1 || isConflict(error)) await applySingly(deps, lane, batch)
  else for (const entry of batch) entry.answer(FAILED)
}

/** A locked player costs one lock time-out, not one per call. During an outage no call is tried. */
async function applySingly(deps: BatchObserver, lane: LaneWork, batch: readonly QueueEntry[]): Promise<void> {
  const locked = new Set<PlayerId>()
  let isOut = false
  for (const entry of batch) {
    const { player } = entry.call
    if (isOut || locked.has(player) || isTooLate(entry)) {
      entry.answer(FAILED)
      continue
    }
    const error = await tryWithConflictRetry(deps, lane, entry)
    if (error === undefined) continue
    if (isLockTimeout(error)) locked.add(player)
    isOut = isOutage(error)
    entry.answer(FAILED)
  }
}

/** A call that conflicted with another call's write is decided once more, on the new state. */
async function tryWithConflictRetry(deps: BatchObserver, lane: LaneWork, entry: QueueEntry): Promise<unknown> {
  const error = await tryBatch(deps, lane, [entry])
  return isConflict(error) ? tryBatch(deps, lane, [entry]) : error
}
