/**
 * One pass that applies an event's results to its bets, in slices. Each slice is one transaction,
 * which also records the deliveries (calls to partners).
 *
 * A bet that the database rejects, or that stays locked, delays no other bet (C-15). A failed slice
 * is halved until that bet is alone, and the next pass tries the bet again.
 */

import { runWithBisection } from '@purser/runtime/async/bisection'
import { environment } from '@purser/runtime/environment'
import type { Logger } from '@purser/runtime/logger'
import { CHUNK_ROWS } from '../../core/database/chunked-work.ts'
import { isBusy, isDataError } from '../../core/database/database-errors.ts'
import { type PendingResults, readBetIdsOfEvent, renewResults } from '../store/event-store.ts'
import type { BusyPolicy } from './batched-transactions.ts'
import { applyResults, type FlowDeps } from './bet-flow.ts'

export interface ResultPassDeps extends FlowDeps {
  readonly log: Logger
  /** Called when a slice has deliveries to send. */
  decided(): void
}

/**
 * Progress of this process with one version of the results. It only saves work; `applyToEnd` does
 * not trust it for the end of an event.
 */
export interface EventCursor {
  readonly version: bigint
  /** All bets up to this id have been tried. */
  after?: string | undefined
  isAtEnd: boolean
  /** Tried bets that failed, the longest untried first. */
  readonly left: Set<string>
}

export function newEventCursor({ version }: PendingResults): EventCursor {
  return { version, isAtEnd: false, left: new Set() }
}

export function isUnusedCursor({ after, isAtEnd, left }: EventCursor): boolean {
  return after === undefined && !isAtEnd && left.size === 0
}

export interface ResultPass {
  readonly results: PendingResults
  readonly cursor: EventCursor
  /** Number of changed bets. */
  readonly progress: { bets: number }
  isStopping(): boolean
}

const HEARTBEAT_MS = 1_000
/** Longest time of a pass with a failure, so that other events get their turn. */
const PASS_MS = 20_000

interface PassState extends ResultPass {
  readonly deps: ResultPassDeps
  /**
   * Time of `environment.monotonicNow()`, because a wall clock that is set back would delay the
   * next heartbeat.
   */
  heartbeatAt: number
  readonly until: number
  /** True if the process stops, or if newer results exist; their caller continues. */
  isAborted: boolean
  /** Last error of a bet. */
  failure?: unknown
}

/** Bets with the right result are not changed. Returns true if every bet follows the results. */
export async function runResultPass(deps: ResultPassDeps, pass: ResultPass): Promise<boolean> {
  const { cursor, results } = pass
  const begun = environment.monotonicNow()
  const state: PassState = { ...pass, deps, heartbeatAt: begun, until: begun + PASS_MS, isAborted: false }
  const again = [...cursor.left]
  while (!cursor.isAtEnd && canContinue(state)) {
    const betIds = await readBetIdsOfEvent(deps.db, results.eventId, cursor.after)
    await applySlice(state, betIds, 'leave')
    if (state.isAborted) return false
    cursor.after = betIds.at(-1) ?? cursor.after
    cursor.isAtEnd = betIds.length === 0
  }
  for (let from = 0; from < again.length && canContinue(state); from += CHUNK_ROWS)
    await applySlice(state, again.slice(from, from + CHUNK_ROWS), 'leave')
  if (state.isAborted) return false
  logBetsLeft(state)
  return cursor.isAtEnd && cursor.left.size === 0
}

function canContinue({ isAborted, failure, until }: PassState): boolean {
  return !isAborted && (failure === undefined || environment.monotonicNow() < until)
}

/** Locked bets are awaited after the others. Throws errors that no bet causes. */
async function applySlice(state: PassState, betIds: readonly string[], busy: BusyPolicy): Promise<void> {
  const { deps, cursor, progress } = state
  await runWithBisection(betIds, async (part) => {
    if (await heartbeatOrAbort(state)) return 'done'
    try {
      const { changed, left } = await applyResults(deps, part, busy)
      for (const betId of part) cursor.left.delete(betId)
      progress.bets += changed
      if (changed > 0) deps.decided()
      if (left.length > 0) await applyBusyBets(state, left)
    } catch (error) {
      if (!isDataError(error) && !isBusy(error)) throw error
      state.failure = error
      if (part.length > 1 && canContinue(state)) return 'halve'
      markLeft(cursor, part)
    }
    return 'done'
  })
}

/** The bets are marked as left first, because the pass may end during the wait. */
async function applyBusyBets(state: PassState, betIds: readonly string[]): Promise<void> {
  markLeft(state.cursor, betIds)
  await applySlice(state, betIds, 'wait')
}

function markLeft({ left }: EventCursor, betIds: readonly string[]): void {
  for (const betId of betIds) {
    left.delete(betId)
    left.add(betId)
  }
}

/** Writes a heartbeat if one is due. Returns true if the pass must end. */
async function heartbeatOrAbort(state: PassState): Promise<boolean> {
  const { deps, results, heartbeatAt } = state
  state.isAborted ||= state.isStopping()
  const now = environment.monotonicNow()
  if (state.isAborted || now - heartbeatAt < HEARTBEAT_MS) return state.isAborted
  state.isAborted = !(await renewResults(deps.db, results, deps.clock.now()))
  state.heartbeatAt = now
  return state.isAborted
}

/** Maximum number of bet ids in a log line. */
const MAX_LOGGED_BETS = 20

function logBetsLeft({ deps, results, cursor, failure }: PassState): void {
  if (failure === undefined || cursor.left.size === 0) return
  const betIds = [...cursor.left].slice(-MAX_LOGGED_BETS)
  deps.log.error(
    { err: failure, eventId: results.eventId, bets: cursor.left.size, betIds },
    'bets could not be settled by the results of their event; they are retried',
  )
}
