/** A separate connection to Postgres that reads which sessions wait for which locks. */
import pg from 'pg'

export interface LockObserver {
  /** For each existing backend, the backends that block it. */
  readWaits(processes: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>
  cancel(process: number): Promise<void>
  close(): Promise<void>
}

const READ_WAITS = `select pid, pg_catalog.pg_blocking_pids(pid) as waits_for from pg_catalog.pg_stat_activity where pid = any($1::int[])`

export async function openObserver(url: string): Promise<LockObserver> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async readWaits(processes) {
      const { rows } = await client.query<{ pid: number; waits_for: number[] }>({
        name: 'look',
        text: READ_WAITS,
        values: [processes],
      })
      return new Map(rows.map(({ pid, waits_for }) => [pid, waits_for]))
    },
    async cancel(process) {
      await client.query('select pg_catalog.pg_cancel_backend($1::int)', [process])
    },
    close: () => client.end(),
  }
}
