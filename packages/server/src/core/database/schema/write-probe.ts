/**
 * Probe for a database that accepts no writes: a standby, a full disk, or exhausted transaction
 * ids.
 *
 * The probe takes those steps of a write that leave no trace: its transaction gets an id, and its
 * sort uses the disk.
 */

import { ReadOnlyDatabaseError } from '../database-errors.ts'
import { statement, type Tx } from '../db.ts'

/** The smallest work_mem makes the sort below write a file to the disk of the tables. */
const READ_WRITE_STATE = statement(
  'look_whether_writable',
  `select pg_catalog.current_setting('transaction_read_only') = 'on' as is_read_only, pg_catalog.pg_is_in_recovery() as is_standby,
     pg_catalog.set_config('work_mem', '64kB', true), pg_catalog.set_config('temp_tablespaces', '', true)`,
)
const PROBE_WRITE = statement(
  'try_to_write',
  `select pg_catalog.pg_current_xact_id()::text as number, (
     select t.text from (select repeat(n::text, 8) collate "C" as text from pg_catalog.generate_series(1, 2000) as s (n)) t
     order by t.text offset 1999
   ) as last`,
)

/** Throws ReadOnlyDatabaseError, or the server's error for the write. */
export async function probeWrites(tx: Tx): Promise<void> {
  const [state] = await tx.query<{ is_read_only: boolean; is_standby: boolean }>(READ_WRITE_STATE)
  if (state?.is_standby) throw new ReadOnlyDatabaseError('it is a standby: set DATABASE_URL to its primary')
  if (state?.is_read_only)
    throw new ReadOnlyDatabaseError(
      'default_transaction_read_only is on, as hosted databases set it when their disk is full: make room, or switch it off',
    )
  await tx.query(PROBE_WRITE)
}
