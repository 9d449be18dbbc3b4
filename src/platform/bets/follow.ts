/**
 * One turn over the bets of an event, slice by slice, each a transaction with its deliveries. A bet that the database refuses to write, or
 * that somebody holds for too long, keeps no other one from following (C-15): what fails together is halved until that one is alone, and it is
 * tried again at the next turn.
 */
import { isBusy, isOfData } from '../../db/errors.ts'
import { SLICE } from '../../db/in-slices.ts'
import type { Logger } from '../../runtime/logger.ts'
import { world } from '../../runtime/world.ts'
import { applyResults, type FlowDeps } from './bet-flow.ts'
import { continueResults, type PendingResults, readBetsOn } from './event.ts'
import type { Busy } from './in-transactions.ts'

export interface FollowDeps extends FlowDeps {
  readonly log: Logger
  /** Told when a slice of bets has something to deliver. */
  decided(): void
}

/** How far this process has come with one version of an event's results. It spares work, no more: an event is not done by it (followToEnd). */
export interface Place {
  readonly version: bigint
  /** Bets up to this one have been tried. */
  after?: string | undefined
  isAtEnd: boolean
  /** Those of them that could not follow, the longest untried first. */
  readonly left: Set<string>
}

export function newPlace({ version }: PendingResults): Place {
  return { version, isAtEnd: false, left: new Set() }
}

export function isNew({ after, isAtEnd, left }: Place): boolean {
  return after === undefined && !isAtEnd && left.size === 0
}

export interface Turn {
  readonly results: PendingResults
  readonly place: Place
  /** Bets that have changed. */
  readonly progress: { bets: number }
  isStopping(): boolean
}

/** Milliseconds between two signs of life. */
const SIGN_MS = 1_000
/** Milliseconds of a turn in which something has failed: then other events have theirs. */
const TURN_MS = 20_000

interface State extends Turn {
  readonly deps: FollowDeps
  /** When the last sign of life was given, as world.elapsed() gives it: no clock that is set back keeps the next one waiting. */
  saidAt: number
  readonly until: number
  /** The process stops, or newer results have come: whoever brought them goes on. */
  isCut: boolean
  /** Why a bet could not follow, the last time. */
  failure?: unknown
}

/** Bets that follow already stay as they are. Resolves to whether all follow. */
export async function follow(deps: FollowDeps, turn: Turn): Promise<boolean> {
  const { place, results } = turn
  const begun = world.elapsed()
  const state: State = { ...turn, deps, saidAt: begun, until: begun + TURN_MS, isCut: false }
  const again = [...place.left]
  while (!place.isAtEnd && goesOn(state)) {
    const betIds = await readBetsOn(deps.db, results.eventId, place.after)
    await take(state, betIds, 'leave')
    if (state.isCut) return false
    place.after = betIds.at(-1) ?? place.after
    place.isAtEnd = betIds.length === 0
  }
  for (let from = 0; from < again.length && goesOn(state); from += SLICE)
    await take(state, again.slice(from, from + SLICE), 'leave')
  if (state.isCut) return false
  tellLeft(state)
  return place.isAtEnd && place.left.size === 0
}

function goesOn({ isCut, failure, until }: State): boolean {
  return !isCut && (failure === undefined || world.elapsed() < until)
}

/** A bet that somebody holds is waited for behind the others. Throws when the fault is no bet's. */
async function take(state: State, betIds: readonly string[], busy: Busy): Promise<void> {
  const { deps, place, progress } = state
  if (betIds.length === 0 || (await isCut(state))) return
  try {
    const { changed, left } = await applyResults(deps, betIds, busy)
    for (const betId of betIds) place.left.delete(betId)
    progress.bets += changed
    if (changed > 0) deps.decided()
    if (left.length > 0) await takeLeft(state, left)
  } catch (error) {
    if (!isOfData(error) && !isBusy(error)) throw error
    state.failure = error
    if (betIds.length === 1 || !goesOn(state)) return leave(place, betIds)
    const middle = Math.ceil(betIds.length / 2)
    await take(state, betIds.slice(0, middle), busy)
    await take(state, betIds.slice(middle), busy)
  }
}

/** They count as left until they follow: the turn may be cut while it waits. */
async function takeLeft(state: State, betIds: readonly string[]): Promise<void> {
  leave(state.place, betIds)
  await take(state, betIds, 'wait')
}

function leave({ left }: Place, betIds: readonly string[]): void {
  for (const betId of betIds) {
    left.delete(betId)
    left.add(betId)
  }
}

/** Gives a sign of life when it is time to. */
async function isCut(state: State): Promise<boolean> {
  const { deps, results, saidAt } = state
  state.isCut ||= state.isStopping()
  const now = world.elapsed()
  if (state.isCut || now - saidAt < SIGN_MS) return state.isCut
  state.isCut = !(await continueResults(deps.db, results, deps.clock.now()))
  state.saidAt = now
  return state.isCut
}

/** Bets that a line of the log names. */
const NAMED = 20

function tellLeft({ deps, results, place, failure }: State): void {
  if (failure === undefined || place.left.size === 0) return
  const betIds = [...place.left].slice(-NAMED)
  deps.log.error(
    { err: failure, eventId: results.eventId, bets: place.left.size, betIds },
    'bets cannot follow the results of their event; they are tried again',
  )
}
