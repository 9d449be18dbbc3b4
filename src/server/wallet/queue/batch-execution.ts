/**
 * What becomes of a batch: the gate takes what it can, the rules judge the rest, and each call is answered once. What fails together is tried
 * call by call, unless the database is down.
 */

import type { PlayerId } from '../../../protocol/wire-ids.ts'
import { groupBy } from '../../../runtime/group.ts'
import type { Span } from '../../../runtime/tracing.ts'
import { isConflict, isLockTimeout, isOutage } from '../../core/database/database-errors.ts'
import { scheduleWork } from '../../core/partner-wire/cooperative-scheduler.ts'
import type { BetCall } from '../store/bet.ts'
import { type BatchTimes, beginBatch } from './batch-times.ts'
import type { FastPathOutcome } from './fast-path.ts'
import { type BetCallOutcome, FAILED, isTooLate, type WaitingCall } from './rules-path.ts'

/** What a lane does with its calls. Both reject when nothing was written, or when that is not known. */
export interface LaneWork {
  isFastPathEligible(call: BetCall): boolean
  /** Of calls that may pass, at most one of each player; they may lie in several buckets. */
  runFastPath(calls: readonly WaitingCall[], span?: Span): Promise<FastPathOutcome[]>
  /** Of calls of one bucket. */
  runRulesPath(calls: readonly WaitingCall[], span?: Span): Promise<BetCallOutcome[]>
}

export interface BatchObserver {
  /** Told of each failure of a batch or call, with the number of calls it concerned. */
  onFailure(error: unknown, calls: number): void
  /** Told how many calls of a batch the gate took. */
  onFastPath(calls: number): void
}

export interface QueueEntry extends WaitingCall {
  readonly arrivedAt: number
  /** At the gate so far. */
  attempts: number
  readonly span: Span | undefined
  answer(outcome: BetCallOutcome, batch?: BatchTimes): void
  /** Answers it now; what becomes of it, nobody hears any more. */
  timeOut(): void
}

export interface LaneBatch {
  readonly fastPathCalls: readonly QueueEntry[]
  readonly rulesPathCalls: readonly QueueEntry[]
}

/**
 * Every call of the batch is answered, or given back because its player is busy: to stand in front of the calls that came later, so that a
 * player's calls stay in order.
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
 * Resolves to what the rules are to judge: what the gate has left, or could not do at all, and behind it what may not pass. A database
 * that is down is not asked again: each time it stays silent costs the calls that wait as long as it took to find out.
 */
async function tryFastPath(
  deps: BatchObserver,
  lane: LaneWork,
  { fastPathCalls, rulesPathCalls }: LaneBatch,
  putBack: (busy: readonly QueueEntry[]) => void,
): Promise<readonly QueueEntry[]> {
  const { span, end } = beginBatch(fastPathCalls, 'gate')
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

/** Answers all calls of a batch, or resolves to the error and answers none. */
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

/** A poisoned call must not fail its neighbours: each goes through alone, unless the database itself is down. */
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

/** A locked player is waited for once, not once per call; a database that is down is not waited for at all. */
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

/** A call that met the write of another call is judged once more, on what that write left. */
async function tryWithConflictRetry(deps: BatchObserver, lane: LaneWork, entry: QueueEntry): Promise<unknown> {
  const error = await tryBatch(deps, lane, [entry])
  return isConflict(error) ? tryBatch(deps, lane, [entry]) : error
}
