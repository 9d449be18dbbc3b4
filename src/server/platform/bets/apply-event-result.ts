/**
 * One turn over the bets of an event, slice by slice, each a transaction with its deliveries. A bet that the database refuses to write, or
 * that somebody holds for too long, keeps no other one from following (C-15): what fails together is halved until that one is alone, and it is
 * tried again at the next turn.
 */

import { environment } from '../../../runtime/environment.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { CHUNK_ROWS } from '../../core/database/chunked-work.ts'
import { isBusy, isDataError } from '../../core/database/database-errors.ts'
import { type PendingResults, readBetIdsOfEvent, renewResults } from '../store/event-store.ts'
import type { BusyPolicy } from './batched-transactions.ts'
import { applyResults, type FlowDeps } from './bet-flow.ts'

export interface ResultPassDeps extends FlowDeps {
  readonly log: Logger
  /** Told when a slice of bets has something to deliver. */
  decided(): void
}

/**
 * How far this process has come with one version of an event's results. It spares work, no more: an
 * event is not done by it (applyToEnd).
 */
export interface EventCursor {
  readonly version: bigint
  /** Bets up to this one have been tried. */
  after?: string | undefined
  isAtEnd: boolean
  /** Those of them that could not follow, the longest untried first. */
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
  /** Bets that have changed. */
  readonly progress: { bets: number }
  isStopping(): boolean
}

/** Milliseconds between two signs of life. */
const HEARTBEAT_MS = 1_000
/** Milliseconds of a turn in which something has failed: then other events have theirs. */
const PASS_MS = 20_000

interface PassState extends ResultPass {
  readonly deps: ResultPassDeps
  /** When the last sign of life was given, as world.elapsed() gives it: no clock that is set back keeps the next one waiting. */
  heartbeatAt: number
  readonly until: number
  /** The process stops, or newer results have come: whoever brought them goes on. */
  isAborted: boolean
  /** Why a bet could not follow, the last time. */
  failure?: unknown
}

/** Bets that follow already stay as they are. Resolves to whether all follow. */
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

/** A bet that somebody holds is waited for behind the others. Throws when the fault is no bet's. */
async function applySlice(state: PassState, betIds: readonly string[], busy: BusyPolicy): Promise<void> {
  const { deps, cursor, progress } = state
  if (betIds.length === 0 || (await heartbeatOrAbort(state))) return
  try {
    const { changed, left } = await applyResults(deps, betIds, busy)
    for (const betId of betIds) cursor.left.delete(betId)
    progress.bets += changed
    if (changed > 0) deps.decided()
    if (left.length > 0) await applyBusyBets(state, left)
  } catch (error) {
    if (!isDataError(error) && !isBusy(error)) throw error
    state.failure = error
    if (betIds.length === 1 || !canContinue(state)) return markLeft(cursor, betIds)
    const middle = Math.ceil(betIds.length / 2)
    await applySlice(state, betIds.slice(0, middle), busy)
    await applySlice(state, betIds.slice(middle), busy)
  }
}

/** They count as left until they follow: the turn may be cut while it waits. */
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

/** Gives a sign of life when it is time to. */
async function heartbeatOrAbort(state: PassState): Promise<boolean> {
  const { deps, results, heartbeatAt } = state
  state.isAborted ||= state.isStopping()
  const now = environment.monotonicNow()
  if (state.isAborted || now - heartbeatAt < HEARTBEAT_MS) return state.isAborted
  state.isAborted = !(await renewResults(deps.db, results, deps.clock.now()))
  state.heartbeatAt = now
  return state.isAborted
}

/** Bets that a line of the log names. */
const MAX_LOGGED_BETS = 20

function logBetsLeft({ deps, results, cursor, failure }: PassState): void {
  if (failure === undefined || cursor.left.size === 0) return
  const betIds = [...cursor.left].slice(-MAX_LOGGED_BETS)
  deps.log.error(
    { err: failure, eventId: results.eventId, bets: cursor.left.size, betIds },
    'bets could not be settled by the results of their event; they are retried',
  )
}
