/** Ended sessions of the consoles (U-2), and old counts of wrong passwords (U-4): retention counts and deletes them. */
import { type Db, type Reading, statement } from '../db/db.ts'
import { inSlices, SLICE } from '../db/in-slices.ts'

const SCHEMAS = ['purser', 'platform'] as const

const COUNT = statement(
  'count_ended_console_sessions',
  `select (${SCHEMAS.map((schema) => `(select count(*) from ${schema}.console_session where ends_at < $1::timestamptz)`).join(' + ')})::int as sessions`,
)
const CLEAR_FAILURES = SCHEMAS.map((schema) =>
  statement(
    `${schema}_clear_console_failures`,
    `delete from ${schema}.console_failure f where (f.name, f.address) in (
       select e.name, e.address from ${schema}.console_failure e where e.failed_at < $1::timestamptz limit ${SLICE})`,
  ),
)
const CLEAR = SCHEMAS.map((schema) =>
  statement(
    `${schema}_clear_ended_console_sessions`,
    `delete from ${schema}.console_session s where s.hash in (
       select e.hash from ${schema}.console_session e where e.ends_at < $1::timestamptz limit ${SLICE})`,
  ),
)

export async function countEndedSessions(reading: Reading, before: Date): Promise<number> {
  const [row] = await reading.query<{ sessions: number }>(COUNT, [before])
  return row?.sessions ?? 0
}

/** Resolves to the number of deleted sessions. `signal` ends it between two slices. */
export async function clearEndedSessions(db: Db, before: Date, signal: AbortSignal): Promise<number> {
  for (const slice of CLEAR_FAILURES) await inSlices(signal, () => db.transaction((tx) => tx.execute(slice, [before])))
  let sum = 0
  for (const slice of CLEAR) sum += await inSlices(signal, () => db.transaction((tx) => tx.execute(slice, [before])))
  return sum
}
