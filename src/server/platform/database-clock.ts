/**
 * The database's clock, read here (W-19): every process on one database plans and claims by the same time, whatever its own
 * host's clock says or jumps to. A delivery whose lease one process measured cannot look over to another that is ahead,
 * which would send it a second time beside the first (C-6).
 */

import type { Clock } from '../../runtime/clock.ts'
import { environment } from '../../runtime/environment.ts'
import { type Db, statement } from '../core/database/db.ts'

const READ_CLOCK = statement(
  'platform_read_clock',
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
)

/** Milliseconds for which a reading is used; in between this process' monotonic clock counts. */
const READ_EVERY_MS = 15_000
/** Milliseconds that a reading may take: it is wrong by half of it at most. Later ones that are slower are not used. */
const MAX_READING_MS = 200

/** Throws when the database cannot be asked the first time; when it cannot later, the last reading stays in use. */
export async function startDatabaseClock(db: Db): Promise<Clock> {
  let { offset } = await readOffset(db)
  let readAt = environment.monotonicNow()
  const readAgain = async () => {
    readAt = environment.monotonicNow() // one reads, the others go on with what is known
    const reading = await readOffset(db).catch(() => undefined)
    if (reading !== undefined && reading.tookMs <= MAX_READING_MS) offset = reading.offset
  }
  return {
    now() {
      if (environment.monotonicNow() - readAt > READ_EVERY_MS) void readAgain()
      return new Date(environment.monotonicNow() + offset)
    },
  }
}

/** By how much the database's clock is ahead of this process' monotonic one; taken in the middle of the reading. */
async function readOffset(db: Db): Promise<{ offset: number; tookMs: number }> {
  const sentAt = environment.monotonicNow()
  const [row] = await db.query<{ now: number }>(READ_CLOCK)
  const tookMs = environment.monotonicNow() - sentAt
  if (row === undefined) throw new Error('the database did not return the time')
  return { offset: row.now - sentAt - tookMs / 2, tookMs }
}
