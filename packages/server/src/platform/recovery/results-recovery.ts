/**
 * Recovery of accepted results of events that were not applied to every bet, for example after a
 * crash. Another process takes a result over after watching it for a lease (C-12).
 */

import { createLru } from '@purser/runtime/lru-cache'
import { isBusy, isDataError } from '../../core/database/database-errors.ts'
import { type EventCursor, newEventCursor } from '../bets/apply-event-result.ts'
import { applyTracked, type EventResultsDeps, formatResultsKey } from '../bets/event-results.ts'
import { type ObservedResults, type PendingResults, readPendingResults, takeOverResults } from '../store/event-store.ts'
import { detectStaleLeases } from './stale-lease-detector.ts'

/** Results are abandoned after this time without a heartbeat. */
const ABANDONED_MS = 10_000
/**
 * Several events are applied at the same time, so that a small one does not wait for a final with a
 * million bets.
 */
const MAX_CONCURRENT = 4
/** Maximum number of events whose progress this process remembers. */
const MAX_CURSORS = 1_000

export interface ResultsRecoveryDeps extends EventResultsDeps {
  /** `elapsed` returns monotonic milliseconds. */
  readonly timers: { elapsed(): number }
}

export interface ResultsRecovery {
  /**
   * Starts to apply abandoned results, independently of the deliveries. Resolves when they are
   * started. Never rejects.
   */
  scan(): Promise<void>
  /** Waits for the slices in progress. */
  stop(): Promise<void>
}

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

/**
 * Results that this process applies itself are not watched, however long they have no heartbeat.
 */
async function readAbandoned(
  { db, timers, applying }: ResultsRecoveryDeps,
  watch: ReturnType<typeof detectStaleLeases<ObservedResults>>,
): Promise<ObservedResults[]> {
  const begun = timers.elapsed()
  const pending = await readPendingResults(db)
  const ofOthers = pending.filter((results) => !applying.has(formatResultsKey(results)))
  return watch(ofOthers, { begun, ended: timers.elapsed() })
}

/** An event whose row cannot be written does not stop the others. */
async function takeOver({ db, clock, log }: ResultsRecoveryDeps, results: ObservedResults): Promise<boolean> {
  try {
    return await takeOverResults(db, results, clock.now())
  } catch (error) {
    if (!isDataError(error) && !isBusy(error)) throw error
    log.error({ err: error, eventId: results.eventId }, 'the results of an event could not be applied')
    return false
  }
}
