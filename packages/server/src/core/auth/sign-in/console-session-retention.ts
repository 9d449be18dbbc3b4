/** Retention of ended console sessions (U-2) and of old counts of wrong passwords (U-4). */

import { CHUNK_ROWS, runInChunks } from '../../database/chunked-work.ts'
import { type Db, type Queryable, statement } from '../../database/db.ts'

const SCHEMAS = ['purser', 'platform'] as const

const COUNT_SESSIONS = statement(
  'count_ended_console_sessions',
  `select (${SCHEMAS.map((schema) => `(select count(*) from ${schema}.console_session where ends_at < $1::timestamptz)`).join(' + ')})::int as sessions`,
)
const DELETE_FAILURES = SCHEMAS.map((schema) =>
  statement(
    `${schema}_clear_console_failures`,
    `delete from ${schema}.console_failure f where (f.name, f.address) in (
       select e.name, e.address from ${schema}.console_failure e where e.failed_at < $1::timestamptz limit ${CHUNK_ROWS})`,
  ),
)
const DELETE_SESSIONS = SCHEMAS.map((schema) =>
  statement(
    `${schema}_clear_ended_console_sessions`,
    `delete from ${schema}.console_session s where s.hash in (
       select e.hash from ${schema}.console_session e where e.ends_at < $1::timestamptz limit ${CHUNK_ROWS})`,
  ),
)

export async function countEndedSessions(db: Queryable, before: Date): Promise<number> {
  const [row] = await db.query<{ sessions: number }>(COUNT_SESSIONS, [before])
  return row?.sessions ?? 0
}

/** Returns the number of deleted sessions. `signal` ends the work between two chunks. */
export async function deleteEndedSessions(db: Db, before: Date, signal: AbortSignal): Promise<number> {
  for (const deleteChunk of DELETE_FAILURES)
    await runInChunks(signal, () => db.transaction((tx) => tx.execute(deleteChunk, [before])))
  let sum = 0
  for (const deleteChunk of DELETE_SESSIONS)
    sum += await runInChunks(signal, () => db.transaction((tx) => tx.execute(deleteChunk, [before])))
  return sum
}
