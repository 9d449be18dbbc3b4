/**
 * A look at all queues from their front, about once a second: for what processes that died have begun, and for what is before
 * the marks (delivery-lanes.ts). It may take long, for it passes over what is over and was not cleaned up yet, because somebody's snapshot is
 * older. So it goes on beside the turns when it does, and is had less often.
 */

import { withTimeout } from '../../../runtime/async/promise-timeout.ts'
import type { Logger } from '../../../runtime/logger.ts'
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
  /** Looks if it is time to. What is then to be sent is told by `decided`. Never rejects. */
  scan(): Promise<void>
  /** Ends what is under way. */
  stop(): Promise<void>
}

/** Milliseconds between two looks, and the part of the time that they may take. */
const SCAN_INTERVAL_MS = 1_000
const MAX_SCAN_SHARE = 0.05
/** Milliseconds that a turn waits for a look. */
const WAIT_MS = 100
/** Claims that are taken over in one transaction: each of its statements must end in time. */
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
    if (!isWhole) rest(now) // it comes again at the next look
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

/** Placements are given up, claims released. True when nothing failed. */
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

/** A slice that fails stops no other one, and a claim that fails none of its slice: each is tried alone then. */
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

/** Undefined when it fails. */
async function tryStep<T>(log: Logger, action: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    log.error({ err: error }, `the recovery scan could not ${action}`)
    return undefined
  }
}
