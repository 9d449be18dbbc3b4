/**
 * A look at all queues from their front, about once a second: for what processes that died have begun, and for what is before
 * the marks (lanes.ts). It may take long, for it passes over what is over and was not cleaned up yet, because somebody's snapshot is
 * older. So it goes on beside the turns when it does, and is had less often.
 */
import type { Db } from '../../db/db.ts'
import type { Clock } from '../../runtime/clock.ts'
import { inTime } from '../../runtime/in-time.ts'
import type { Logger } from '../../runtime/logger.ts'
import { giveUpPlacing } from '../bets/placing.ts'
import { finishResults, type ResultDeps } from '../bets/results.ts'
import { type HeldClaim, readHeldClaims, readNextDue, releaseClaims, watchClaims } from './claim.ts'
import type { Lanes } from './lanes.ts'

export interface LookoutDeps extends ResultDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  /** `elapsed`: milliseconds of a clock that nobody sets. */
  readonly timers: { elapsed(): number }
  readonly lanes: Lanes
}

export interface Lookout {
  /** Looks if it is time to. True if there is something to be sent; when it takes long, that is told by `decided`. Never rejects. */
  look(): Promise<boolean>
  /** Ends what is under way. */
  stop(): Promise<void>
}

/** Milliseconds between two looks, and the part of the time that they may take. */
const LOOK_MS = 1_000
const LOOKING_PART = 0.05
/** Milliseconds that a turn waits for a look. */
const WAIT_MS = 100

export function createLookout(deps: LookoutDeps): Lookout {
  const { timers, log, lanes } = deps
  const watch = watchClaims()
  let results: Promise<void> | undefined
  let looking: Promise<boolean> | undefined
  let nextAt = Number.NEGATIVE_INFINITY
  let isStopping = false

  const look = async (now: number): Promise<boolean> => {
    const [held, due] = await Promise.all([readHeldClaims(deps.db), readNextDue(deps.db)])
    nextAt = Math.max(nextAt, now + (timers.elapsed() - now) / LOOKING_PART)
    lanes.front(due)
    return takeOver(deps, watch.abandoned(held, now))
  }
  const start = (now: number): Promise<boolean> => {
    nextAt = now + LOOK_MS
    results ??= finishAbandonedResults(deps, () => isStopping).finally(() => {
      results = undefined
    })
    return look(now)
      .catch((error: unknown) => {
        log.error({ err: error }, 'what another process had begun could not be finished')
        return false
      })
      .finally(() => {
        looking = undefined
      })
  }
  return {
    async look() {
      if (looking !== undefined || timers.elapsed() < nextAt) return false
      const mine = start(timers.elapsed())
      looking = mine
      return inTime(mine, WAIT_MS, () => {
        void mine.then((isToBeSent) => isToBeSent && deps.decided())
        return false
      })
    },
    async stop() {
      isStopping = true
      await Promise.all([results, looking])
    },
  }
}

/** Placements are given up, claims released. */
async function takeOver(deps: LookoutDeps, abandoned: readonly HeldClaim[]): Promise<boolean> {
  const places = abandoned.filter(({ operation }) => operation === 'place').map((claim) => claim.bet_id)
  const others = abandoned.filter(({ operation }) => operation !== 'place')
  const released =
    others.length > 0 ? await deps.db.transaction((tx) => releaseClaims(tx, others, deps.clock.now())) : 0
  const givenUp = places.length > 0 ? await giveUpPlacing(deps, places) : 0
  return released + givenUp > 0
}

/** Beside the turns: a result may have a million bets, and no partner's deliveries wait for it. */
async function finishAbandonedResults(deps: LookoutDeps, isStopping: () => boolean): Promise<void> {
  try {
    await finishResults(deps, isStopping)
  } catch (error) {
    deps.log.error({ err: error }, 'a result that another process had begun could not be finished')
  }
}
