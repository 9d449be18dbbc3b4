/**
 * The database's clock, shared by all processes on one database (W-19). Steps and errors of host
 * clocks do not affect the planned times and claims of deliveries. So a process with a fast clock
 * cannot treat another's lease as ended and send the delivery twice (C-6).
 */

import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { type Db, statement } from '../core/database/db.ts'

const READ_CLOCK = statement(
  'platform_read_clock',
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
)

/** A reading is used for this time; the monotonic clock measures the time since then. */
const READ_EVERY_MS = 15_000
/**
 * Longest valid reading. The error is at most half of its duration; slower later readings are
 * ignored.
 */
const MAX_READING_MS = 200

/** Throws if the first reading fails. After later failures the last reading stays in use. */
export async function startDatabaseClock(db: Db): Promise<Clock> {
  let { offset } = await readOffset(db)
  let readAt = environment.monotonicNow()
  const readAgain = async () => {
    readAt = environment.monotonicNow() // set before the reading, so that only one call reads
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

/** Database time less monotonic time, measured for the middle of the reading. */
async function readOffset(db: Db): Promise<{ offset: number; tookMs: number }> {
  const sentAt = environment.monotonicNow()
  const [row] = await db.query<{ now: number }>(READ_CLOCK)
  const tookMs = environment.monotonicNow() - sentAt
  if (row === undefined) throw new Error('the database did not return the time')
  return { offset: row.now - sentAt - tookMs / 2, tookMs }
}
