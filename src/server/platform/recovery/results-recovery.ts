/**
 * Results that a process accepted and did not apply to their end, as after a crash: another process
 * takes them up when it has watched them for long enough (C-12).
 */

import { createLru } from '../../../runtime/lru-cache.ts'
import { isBusy, isDataError } from '../../core/database/database-errors.ts'
import { type EventCursor, newEventCursor } from '../bets/apply-event-result.ts'
import { applyTracked, type EventResultsDeps, formatResultsKey } from '../bets/event-results.ts'
import { type ObservedResults, type PendingResults, readPendingResults, takeOverResults } from '../store/event-store.ts'
import { detectStaleLeases } from './stale-lease-detector.ts'

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
    ({ heartbeat, ...results }: ObservedResults) => `${formatResultsKey(results)}/${heartbeat}`,
    ABANDONED_MS,
  )
  const works = new Set<Promise<void>>()
  let scanning: Promise<void> | undefined
  let isStopping = false
  const unfinished = (err: unknown) => log.error({ err }, 'a result that another process began could not be finished')

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
  const ofOthers = pending.filter((results) => !applying.has(formatResultsKey(results)))
  return watch(ofOthers, { begun, ended: timers.elapsed() })
}

/** An event that cannot be written itself keeps no other one waiting. */
async function takeOver({ db, clock, log }: ResultsRecoveryDeps, results: ObservedResults): Promise<boolean> {
  try {
    return await takeOverResults(db, results, clock.now())
  } catch (error) {
    if (!isDataError(error) && !isBusy(error)) throw error
    log.error({ err: error, eventId: results.eventId }, 'the results of an event could not be applied')
    return false
  }
}
