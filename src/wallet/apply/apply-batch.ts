/**
 * What becomes of a batch: the gate takes what it can, the rules judge the rest, and each call is answered once. What fails together is tried
 * call by call, unless the database is down.
 */
import { isConflict, isLockTimeout, isOutage } from '../../db/errors.ts'
import { inTurn } from '../../http/turns.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import { groupBy } from '../../runtime/group.ts'
import type { Span } from '../../runtime/tracing.ts'
import type { BetCall } from '../store/bet.ts'
import { type BatchTimes, beginBatch } from './batch-times.ts'
import type { Verdict } from './gate.ts'
import { FAILED, isTooLate, type Outcome, type WaitingCall } from './judge.ts'

/** What a lane does with its calls. Both reject when nothing was written, or when that is not known. */
export interface LaneWork {
  mayPass(call: BetCall): boolean
  /** Of calls that may pass, at most one of each player; they may lie in several buckets. */
  take(calls: readonly WaitingCall[], span?: Span): Promise<Verdict[]>
  /** Of calls of one bucket. */
  judge(calls: readonly WaitingCall[], span?: Span): Promise<Outcome[]>
}

export interface Told {
  /** Told of each failure of a batch or call, with the number of calls it concerned. */
  onFailure(error: unknown, calls: number): void
  /** Told how many calls of a batch the gate took. */
  onTaken(calls: number): void
}

export interface Entry extends WaitingCall {
  readonly arrivedAt: number
  /** At the gate so far. */
  tries: number
  readonly span: Span | undefined
  answer(outcome: Outcome, batch?: BatchTimes): void
  /** Answers it now; what becomes of it, nobody hears any more. */
  giveUp(): void
}

export interface LaneBatch {
  readonly gated: readonly Entry[]
  readonly judged: readonly Entry[]
}

/**
 * Every call of the batch is answered, or given back because its player is busy: to stand in front of the calls that came later, so that a
 * player's calls stay in order.
 */
export async function applyBatch(
  deps: Told,
  lane: LaneWork,
  batch: LaneBatch,
  putBack: (busy: readonly Entry[]) => void,
): Promise<void> {
  const rest = batch.gated.length === 0 ? batch.judged : await passGate(deps, lane, batch, putBack)
  for (const some of groupBy(rest, ({ bucket }) => bucket).values()) await judge(deps, lane, some)
}

/**
 * Resolves to what the rules are to judge: what the gate has left, or could not do at all, and behind it what may not pass. A database
 * that is down is not asked again: each time it stays silent costs the calls that wait as long as it took to find out.
 */
async function passGate(
  deps: Told,
  lane: LaneWork,
  { gated, judged }: LaneBatch,
  putBack: (busy: readonly Entry[]) => void,
): Promise<readonly Entry[]> {
  const { span, end } = beginBatch(gated, 'gate')
  try {
    const verdicts = await lane.take(gated, span)
    const batch = end()
    const of = (kind: Verdict['kind']) => gated.filter((_, i) => verdicts[i]?.kind === kind)
    for (const [i, entry] of gated.entries()) answerTaken(entry, verdicts[i], batch)
    const busy = of('busy')
    for (const entry of busy) entry.tries += 1
    putBack(busy)
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

async function judge(deps: Told, lane: LaneWork, batch: readonly Entry[]): Promise<void> {
  const error = await tryBatch(deps, lane, batch)
  if (error !== undefined) await afterFailure(deps, lane, batch, error)
}

/** Answers all calls of a batch, or resolves to the error and answers none. */
async function tryBatch(deps: Told, lane: LaneWork, entries: readonly Entry[]): Promise<unknown> {
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
async function afterFailure(deps: Told, lane: LaneWork, batch: readonly Entry[], error: unknown): Promise<void> {
  if (isOutage(error)) for (const entry of batch) entry.answer(FAILED)
  else if (batch.length > 1 || isConflict(error)) await applyOneByOne(deps, lane, batch)
  else for (const entry of batch) entry.answer(FAILED)
}

/** A locked player is waited for once, not once per call; a database that is down is not waited for at all. */
async function applyOneByOne(deps: Told, lane: LaneWork, batch: readonly Entry[]): Promise<void> {
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
async function tryAlone(deps: Told, lane: LaneWork, entry: Entry): Promise<unknown> {
  const error = await tryBatch(deps, lane, [entry])
  return isConflict(error) ? tryBatch(deps, lane, [entry]) : error
}
