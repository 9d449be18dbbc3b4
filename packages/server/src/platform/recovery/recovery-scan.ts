/**
 * Scans the queues of due deliveries from their front, about once a second. A scan finds the work
 * of dead processes, and deliveries before the marks (delivery-lanes.ts).
 *
 * A scan may be slow, because old snapshots keep ended rows in the indexes. Then it continues
 * during the next turns, and scans become rarer.
 */

import { withTimeout } from '@purser/runtime/async/timeouts'
import type { Logger } from '@purser/runtime/logger'
import { isOutage } from '../../core/database/database-errors.ts'
import { createFrameSessionExpiry } from '../bets/frame-session-expiry.ts'
import { readNextDue } from '../delivery/delivery-claim.ts'
import type { DeliveryLanes } from '../delivery/delivery-lanes.ts'
import { rollBackAbandonedPlacements } from './abandoned-placements.ts'
import {
  type HeldClaim,
  isReleasable,
  type Releasable,
  readHeldClaims,
  releaseClaims,
  watchLeases,
} from './lease-watch.ts'
import { createResultsRecovery, type ResultsRecoveryDeps } from './results-recovery.ts'

export interface RecoveryScanDeps extends ResultsRecoveryDeps {
  readonly lanes: DeliveryLanes
  /** From 0 to 1. */
  readonly random: () => number
}

export interface RecoveryScan {
  /** Starts a scan if one is due, and calls `decided` if it makes deliveries due. Never rejects. */
  scan(): Promise<void>
  /** Waits for the work in progress. */
  stop(): Promise<void>
}

/** Interval of scans, and the largest share of time that they may take. */
const SCAN_INTERVAL_MS = 1_000
const MAX_SCAN_SHARE = 0.05
/** Longest time that a turn waits for a scan. */
const WAIT_MS = 100
/** Claims that one transaction takes over; the limit bounds the time of its statements. */
const SLICE = 200

export function createRecoveryScan(deps: RecoveryScanDeps): RecoveryScan {
  const { timers, log, lanes } = deps
  const watch = watchLeases()
  let scanning: Promise<void> | undefined
  const sessionExpiry = createFrameSessionExpiry(deps)
  const resultsRecovery = createResultsRecovery(deps)
  let nextAt = Number.NEGATIVE_INFINITY
  let isStopping = false

  const rest = (since: number) => {
    nextAt = Math.max(nextAt, since + (timers.elapsed() - since) / MAX_SCAN_SHARE)
  }
  const scan = async (now: number): Promise<void> => {
    const [heldClaims, due] = await Promise.all([
      tryStep(log, 'read the claims', () => readHeldClaims(deps.db, watch.placementsFrom())),
      tryStep(log, 'read due deliveries', () => readNextDue(deps.db)),
    ])
    const ended = timers.elapsed()
    rest(now)
    if (due !== undefined) lanes.rewind(due)
    if (heldClaims === undefined) return
    const isWhole = await takeOver(deps, watch.abandoned(heldClaims, { begun: now, ended }), () => isStopping)
    if (!isWhole) rest(now) // the next scan finds the claim again
  }
  const start = (now: number): Promise<void> => {
    nextAt = now + SCAN_INTERVAL_MS
    void resultsRecovery.scan()
    sessionExpiry.expireIfDue(now)
    return scan(now).finally(() => {
      scanning = undefined
    })
  }
  return {
    async scan() {
      if (scanning !== undefined || timers.elapsed() < nextAt) return
      scanning = start(timers.elapsed())
      await withTimeout(scanning, WAIT_MS, () => {})
    },
    async stop() {
      isStopping = true
      await Promise.all([resultsRecovery.stop(), scanning, sessionExpiry.stop()])
    },
  }
}

/** Rolls placements back and releases claims. Returns true if nothing failed. */
async function takeOver(
  deps: RecoveryScanDeps,
  abandoned: readonly HeldClaim[],
  isStopping: () => boolean,
): Promise<boolean> {
  const places = abandoned.filter(({ operation }) => operation === 'place')
  const others = abandoned.filter(isReleasable)
  const giveUp = (claims: readonly HeldClaim[]) =>
    rollBackAbandonedPlacements(
      deps,
      claims.map(({ bet_id: betId }) => betId),
    )
  const release = (claims: readonly Releasable[]) =>
    deps.db.transaction((tx) => releaseClaims(tx, claims, deps.clock.now(), deps.random()))
  const areGivenUp = await recoverInSlices(deps, places, giveUp, isStopping)
  const areReleased = await recoverInSlices(deps, others, release, isStopping)
  return areGivenUp && areReleased
}

/** A failed slice does not stop the others, and its claims are tried one by one. */
async function recoverInSlices<Claim extends HeldClaim>(
  deps: RecoveryScanDeps,
  claims: readonly Claim[],
  take: (slice: readonly Claim[]) => Promise<number>,
  isStopping: () => boolean,
  size = SLICE,
): Promise<boolean> {
  let isWhole = true
  for (let from = 0; from < claims.length && !isStopping(); from += size) {
    const slice = claims.slice(from, from + size)
    try {
      if ((await take(slice)) > 0) deps.decided()
    } catch (error) {
      const betIds = slice.map(({ bet_id: betId }) => betId)
      deps.log.error({ err: error, betIds }, 'work that another process began could not be finished')
      const isSingle = slice.length === 1 || isOutage(error)
      if (isSingle || !(await recoverInSlices(deps, slice, take, isStopping, 1))) isWhole = false
    }
  }
  return isWhole
}

/** Undefined after an error. */
async function tryStep<T>(log: Logger, action: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    log.error({ err: error }, `the recovery scan could not ${action}`)
    return undefined
  }
}
