/**
 * A look at all queues from their front, about once a second: for what processes that died have begun, and for what is before
 * the marks (lanes.ts). It may take long, for it passes over what is over and was not cleaned up yet, because somebody's snapshot is
 * older. So it goes on beside the turns when it does, and is had less often.
 */
import { isOutage } from '../../db/errors.ts'
import { inTime } from '../../runtime/in-time.ts'
import type { Logger } from '../../runtime/logger.ts'
import { createForgetting } from '../bets/old-sessions.ts'
import { giveUpPlacing } from '../bets/placing.ts'
import { createFinishing, type FinishingDeps } from '../bets/results.ts'
import { readNextDue } from './claim.ts'
import { type HeldClaim, isReleasable, type Releasable, readHeldClaims, releaseClaims, watchClaims } from './held.ts'
import type { Lanes } from './lanes.ts'

export interface LookoutDeps extends FinishingDeps {
  readonly lanes: Lanes
  /** From 0 to 1. */
  readonly random: () => number
}

export interface Lookout {
  /** Looks if it is time to. What is then to be sent is told by `decided`. Never rejects. */
  look(): Promise<void>
  /** Ends what is under way. */
  stop(): Promise<void>
}

/** Milliseconds between two looks, and the part of the time that they may take. */
const LOOK_MS = 1_000
const LOOKING_PART = 0.05
/** Milliseconds that a turn waits for a look. */
const WAIT_MS = 100
/** Claims that are taken over in one transaction: each of its statements must end in time. */
const SLICE = 200

export function createLookout(deps: LookoutDeps): Lookout {
  const { timers, log, lanes } = deps
  const watch = watchClaims()
  let looking: Promise<void> | undefined
  const forgetting = createForgetting(deps)
  const finishing = createFinishing(deps)
  let nextAt = Number.NEGATIVE_INFINITY
  let isStopping = false

  const rest = (since: number) => {
    nextAt = Math.max(nextAt, since + (timers.elapsed() - since) / LOOKING_PART)
  }
  const look = async (now: number): Promise<void> => {
    const [held, due] = await Promise.all([
      tryTo(log, 'read what is claimed', () => readHeldClaims(deps.db, watch.placementsFrom())),
      tryTo(log, 'read what is due', () => readNextDue(deps.db)),
    ])
    const ended = timers.elapsed()
    rest(now)
    if (due !== undefined) lanes.front(due)
    if (held === undefined) return
    const isWhole = await takeOver(deps, watch.abandoned(held, { begun: now, ended }), () => isStopping)
    if (!isWhole) rest(now) // it comes again at the next look
  }
  const start = (now: number): Promise<void> => {
    nextAt = now + LOOK_MS
    void finishing.look()
    forgetting.look(now)
    return look(now).finally(() => {
      looking = undefined
    })
  }
  return {
    async look() {
      if (looking !== undefined || timers.elapsed() < nextAt) return
      looking = start(timers.elapsed())
      await inTime(looking, WAIT_MS, () => {})
    },
    async stop() {
      isStopping = true
      await Promise.all([finishing.stop(), looking, forgetting.stop()])
    },
  }
}

/** Placements are given up, claims released. True when nothing failed. */
async function takeOver(
  deps: LookoutDeps,
  abandoned: readonly HeldClaim[],
  isStopping: () => boolean,
): Promise<boolean> {
  const places = abandoned.filter(({ operation }) => operation === 'place')
  const others = abandoned.filter(isReleasable)
  const giveUp = (claims: readonly HeldClaim[]) =>
    giveUpPlacing(
      deps,
      claims.map(({ bet_id: betId }) => betId),
    )
  const release = (claims: readonly Releasable[]) =>
    deps.db.transaction((tx) => releaseClaims(tx, claims, deps.clock.now(), deps.random()))
  const areGivenUp = await inSlices(deps, places, giveUp, isStopping)
  const areReleased = await inSlices(deps, others, release, isStopping)
  return areGivenUp && areReleased
}

/** A slice that fails stops no other one, and a claim that fails none of its slice: each is tried alone then. */
async function inSlices<Claim extends HeldClaim>(
  deps: LookoutDeps,
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
      deps.log.error({ err: error, betIds }, 'what another process had begun could not be finished')
      const isAlone = slice.length === 1 || isOutage(error)
      if (isAlone || !(await inSlices(deps, slice, take, isStopping, 1))) isWhole = false
    }
  }
  return isWhole
}

/** Undefined when it fails. */
async function tryTo<T>(log: Logger, what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    log.error({ err: error }, `a look at the queues could not ${what}`)
    return undefined
  }
}
