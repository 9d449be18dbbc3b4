/**
 * Starts a standby for a Postgres that a test has started: a copy of its folder that replicates its
 * changes and can replace it.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { serverUser } from './postgres-binaries.ts'
import { freePort } from './postgres-server.ts'
import { inSql, type SecondPostgres, startAgain } from './second-postgres.ts'
import { until } from './server-settings.ts'

export interface Standby {
  readonly url: string
  /** Resolves when the standby accepts writing connections. */
  promote(): Promise<void>
  stop(): void
}

/** `leads` is the address to replicate from, for example a network in front of the first server. */
export async function startStandby(first: SecondPostgres, leads = first.url): Promise<Standby> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-test-standby-'))
  const data = join(folder, 'data')
  await copyFolder(first.url, data)
  follow(data, leads)
  const user = serverUser()
  if ('uid' in user) chownSync(folder, user.uid, user.gid)
  const url = new URL(first.url)
  url.port = `${await freePort()}`
  const child = await startAgain(url.href, data, { port: url.port })
  return {
    url: url.href,
    async promote() {
      await inSql(url.href, 'select pg_promote(true)')
      await until(async () => (await inSql(url.href, 'select pg_is_in_recovery() as is'))[0]?.is === false)
    },
    stop() {
      child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
      child.kill('SIGQUIT')
    },
  }
}

/**
 * A backup of a running server: the copy lies between start and stop of the backup, in one session.
 */
async function copyFolder(url: string, data: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("select pg_backup_start('standby', true)")
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    // Files appear and disappear during the copy, which a backup permits; cp then exits with 1.
    spawnSync('cp', ['-a', String(rows[0]?.data_directory), data])
    const label = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    writeOwned(join(data, 'backup_label'), label.rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
}

function follow(data: string, leads: string): void {
  rmSync(join(data, 'postmaster.pid'), { force: true })
  writeOwned(join(data, 'standby.signal'), '')
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${leads}'\n`)
}

function writeOwned(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  const user = serverUser()
  if ('uid' in user) chownSync(path, user.uid, user.gid)
}
