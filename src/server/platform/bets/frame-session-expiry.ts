/**
 * Frame sessions last a day (C-17). Then the token, with which somebody could bet, and the profile, which is somebody's, are taken away: what
 * is still sent for the session's bets carries their own tokens.
 */

import type { Clock } from '../../../runtime/clock.ts'
import type { Logger } from '../../../runtime/logger.ts'
import type { Db } from '../../core/database/db.ts'
import { clearSessions } from '../platform-retention.ts'

/** Milliseconds from its load. */
const SESSION_MS = 24 * 3_600_000
/** Milliseconds between two looks for those that are over. */
const SCAN_INTERVAL_MS = 600_000

export interface FrameSessionExpiryDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
}

export interface FrameSessionExpiry {
  /** Begins to forget, when it is time to. `now`: milliseconds of a clock that nobody sets. */
  expireIfDue(now: number): void
  /** Ends between two slices. */
  stop(): Promise<void>
}

/** Of one process; several do it side by side. */
export function createFrameSessionExpiry({ db, clock, log }: FrameSessionExpiryDeps): FrameSessionExpiry {
  const stopping = new AbortController()
  let nextAt = Number.NEGATIVE_INFINITY
  let work: Promise<unknown> = Promise.resolve()
  const expire = async () => {
    try {
      await clearSessions(db, new Date(clock.now().getTime() - SESSION_MS), stopping.signal)
    } catch (error) {
      log.error({ err: error }, 'old frame sessions could not be deleted')
    }
  }
  return {
    expireIfDue(now) {
      if (now < nextAt || stopping.signal.aborted) return
      nextAt = now + SCAN_INTERVAL_MS
      work = work.then(expire)
    },
    async stop() {
      stopping.abort()
      await work
    },
  }
}
