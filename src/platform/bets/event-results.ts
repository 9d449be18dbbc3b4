/**
 * Results of events settle the bets that they decide, in slices: each is a transaction with its deliveries, which leave while the
 * next slice is at work. One process applies a result, and says every second that it is still at it. Whoever told the result hears
 * after some seconds at the latest how far it has come; the rest goes on without anybody waiting. What could not follow, or was left by a process
 * that died, is taken up again: by a process that does not apply it itself and has watched it for long enough (createResultsRecovery, C-12).
 */
import { isBusy, isDataError } from '../../db/database-errors.ts'
import type { Actor } from '../../people/audit-log.ts'
import { createLru } from '../../runtime/lru-cache.ts'
import { withTimeout } from '../../runtime/promise-timeout.ts'
import { detectStaleLeases } from '../recovery/stale-lease-detector.ts'
import {
  markResultsApplied,
  type ObservedResults,
  type OutcomeResult,
  type PendingResults,
  readPendingResults,
  saveEventResults,
  takeOverResults,
} from '../store/event-store.ts'
import {
  type EventCursor,
  isUnusedCursor,
  newEventCursor,
  type ResultPass,
  type ResultPassDeps,
  runResultPass,
} from './apply-event-result.ts'

export interface ResultsProgress {
  /** That changed so far. */
  readonly bets: number
  /** Every bet on the event follows; else the others do by themselves. */
  readonly isWhole: boolean
}

export interface EventResults {
  /** Replaces the event's results (none: the result is withdrawn) and lets every bet on it follow. */
  set(author: Actor, eventId: string, outcomes: readonly OutcomeResult[]): Promise<ResultsProgress>
  /**
   * Ends behind the slices that are at work. What is left, as after a crash,
   * `createResultsRecovery` does.
   */
  stop(): Promise<void>
}

export interface EventResultsDeps extends ResultPassDeps {
  /** What this process is applying, by `keyOf`. */
  readonly applying: Set<string>
}

const keyOf = ({ eventId, version }: PendingResults): string => `${version}/${eventId}`

/** Milliseconds until the answer to whoever told a result. */
const ANSWER_MS = 5_000

export function createEventResults(deps: EventResultsDeps): EventResults {
  const { db, clock, log } = deps
  const under = new Set<Promise<unknown>>()
  let isStopping = false
  return {
    async set(author, eventId, outcomes) {
      const version = await db.transaction((tx) => saveEventResults(tx, author, eventId, outcomes, clock.now()))
      const [results, progress] = [{ eventId, version }, { bets: 0 }]
      const isLate = { now: false }
      const work = applyTracked(deps, {
        results,
        cursor: newEventCursor(results),
        progress,
        isStopping: () => isStopping,
      })
        .then((isWhole): ResultsProgress => ({ bets: progress.bets, isWhole }))
        .finally(() => under.delete(work))
      work.catch((error: unknown) => {
        if (isLate.now)
          log.error({ err: error, eventId }, 'a result could not be applied to its end; it is taken up again')
      })
      under.add(work)
      return withTimeout(work, ANSWER_MS, () => {
        isLate.now = true
        return { bets: progress.bets, isWhole: false }
      })
    },
    async stop() {
      isStopping = true
      await Promise.allSettled(under)
    },
  }
}

/** Milliseconds without a sign of life after which results that are not applied are taken for those of a process that died. */
const ABANDONED_MS = 10_000
/** Events that are finished side by side: what is small does not wait for a final with a million bets. */
const MAX_CONCURRENT = 4
/** Events of which it is known how far this process has come. */
const MAX_CURSORS = 1_000

export interface ResultsRecoveryDeps extends EventResultsDeps {
  /** `elapsed`: milliseconds of a clock that nobody sets. */
  readonly timers: { elapsed(): number }
}

export interface ResultsRecovery {
  /** Begins with what is abandoned, and ends when it has: beside the deliveries, no partner's wait for it. Never rejects. */
  scan(): Promise<void>
  /** Ends behind the slices that are at work. */
  stop(): Promise<void>
}

/** Takes up events whose results somebody accepted and did not apply to their end. */
export function createResultsRecovery(deps: ResultsRecoveryDeps): ResultsRecovery {
  const { log } = deps
  const cursors = createLru<EventCursor>(MAX_CURSORS)
  const cursorOf = (results: PendingResults) => {
    const known = cursors.get(results.eventId)
    return known?.version === results.version ? known : newEventCursor(results)
  }
  const watch = detectStaleLeases(
    ({ heartbeat, ...results }: ObservedResults) => `${keyOf(results)}/${heartbeat}`,
    ABANDONED_MS,
  )
  const works = new Set<Promise<void>>()
  let scanning: Promise<void> | undefined
  let isStopping = false
  const unfinished = (err: unknown) =>
    log.error({ err }, 'a result that another process had begun could not be finished')

  const finish = async (results: PendingResults) => {
    const cursor = cursorOf(results)
    cursors.set(results.eventId, cursor)
    const pass = { results, cursor, progress: { bets: 0 }, isStopping: () => isStopping }
    if (await applyTracked(deps, pass)) cursors.delete(results.eventId)
  }
  const begin = (results: PendingResults) => {
    const work = finish(results)
      .catch(unfinished)
      .finally(() => works.delete(work))
    works.add(work)
  }
  const scan = async () => {
    for (const results of await readAbandoned(deps, watch)) {
      if (isStopping || works.size >= MAX_CONCURRENT) return
      if (await takeOver(deps, results)) begin(results)
    }
  }
  return {
    scan() {
      scanning ??= scan()
        .catch(unfinished)
        .finally(() => {
          scanning = undefined
        })
      return scanning
    },
    async stop() {
      isStopping = true
      await scanning
      await Promise.all(works)
    },
  }
}

/** What this process is applying itself is not watched, however long it is silent. */
async function readAbandoned(
  { db, timers, applying }: ResultsRecoveryDeps,
  watch: ReturnType<typeof detectStaleLeases<ObservedResults>>,
): Promise<ObservedResults[]> {
  const begun = timers.elapsed()
  const pending = await readPendingResults(db)
  const ofOthers = pending.filter((results) => !applying.has(keyOf(results)))
  return watch(ofOthers, { begun, ended: timers.elapsed() })
}

/** An event that cannot be written itself keeps no other one waiting. */
async function takeOver({ db, clock, log }: ResultsRecoveryDeps, results: ObservedResults): Promise<boolean> {
  try {
    return await takeOverResults(db, results, clock.now())
  } catch (error) {
    if (!isDataError(error) && !isBusy(error)) throw error
    log.error({ err: error, eventId: results.eventId }, 'the results of an event cannot be taken up')
    return false
  }
}

async function applyTracked(deps: EventResultsDeps, pass: ResultPass): Promise<boolean> {
  const key = keyOf(pass.results)
  deps.applying.add(key)
  try {
    return await applyToEnd(deps, pass)
  } finally {
    deps.applying.delete(key)
  }
}

/**
 * An event is done when one turn has looked at all of its bets: what this process knows from turns before may be wrong after a failover that lost
 * commits.
 */
async function applyToEnd(deps: ResultPassDeps, pass: ResultPass): Promise<boolean> {
  const isSinglePass = isUnusedCursor(pass.cursor)
  const isAtEnd = await runResultPass(deps, pass)
  const isWhole =
    isAtEnd && (isSinglePass || (await runResultPass(deps, { ...pass, cursor: newEventCursor(pass.results) })))
  if (isWhole) await markResultsApplied(deps.db, pass.results)
  return isWhole
}
