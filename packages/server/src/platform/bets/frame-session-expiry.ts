/**
 * Deletes the token and the profile of a frame session after a day (C-17). The token could place
 * bets, and the profile is personal. Later calls for the session's bets carry the tokens of the
 * bets.
 */

import type { Clock } from '@purser/runtime/clock'
import type { Logger } from '@purser/runtime/logger'
import type { Db } from '../../core/database/db.ts'
import { clearSessions } from '../platform-retention.ts'

/** Milliseconds since the session was loaded. */
const SESSION_MS = 24 * 3_600_000
const SCAN_INTERVAL_MS = 600_000

export interface FrameSessionExpiryDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
}

export interface FrameSessionExpiry {
  /** Starts a scan if one is due. `now` is in monotonic milliseconds. */
  expireIfDue(now: number): void
  /** Waits for the slice in progress. */
  stop(): Promise<void>
}

/** Several processes can do this at the same time. */
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
