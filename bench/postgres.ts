// A durable Postgres for one run (fsync and synchronous_commit on), from the binaries of the tests.
// TMPDIR must be on a disk: on a RAM disk an fsync costs nothing and the comparison means nothing.
import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import {
  type OtherServer,
  type PostgresSettings,
  type Server,
  startPostgres,
} from '../packages/server/test/support/postgres-server.ts'
import { readParent } from './processor-time.ts'

export interface BenchPostgres {
  /** The backends are children of this process. */
  pid: number
  url(database: string): string
  create(database: string): Promise<void>
  /**
   * A fresh copy and a checkpoint, so that every measured window starts with the same write-ahead
   * log.
   */
  copy(from: string, to: string): Promise<void>
  drop(database: string): Promise<void>
  count(database: string, sql: string): Promise<number>
  /**
   * Updates the planner statistics, as autovacuum does within a minute; an audit right after a run
   * needs them.
   */
  analyze(database: string): Promise<void>
  stop(): Promise<void>
}

/**
 * Values from docs/guides/run-in-production.md. With the default of 128 MB, backends write pages
 * back while calls wait. The rows of a run need less than the guide's 4 GB.
 */
export const SETTINGS = {
  shared_buffers: '2GB',
  min_wal_size: '2GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
}
/** Log files of 16 MB each, more than one measured window and its warm-up write. */
const LOG_FILES = 64
const REQUIRED_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes']

/** The tests' server on a disk; theirs may be in memory. */
export async function startOnDisk(settings: PostgresSettings, other?: OtherServer): Promise<Server> {
  const server = await startPostgres(settings, other, tmpdir())
  const client = new pg.Client(server.url)
  try {
    await client.connect()
    await refuseUnlessDurable(client)
    return server
  } catch (error) {
    await server.stop()
    throw error
  } finally {
    await client.end()
  }
}

/** `more`: additional settings. */
export async function startBenchPostgres(more: PostgresSettings = {}): Promise<BenchPostgres> {
  const server = await startOnDisk({ ...SETTINGS, ...more })
  const admin = new pg.Client(server.url)
  admin.on('error', () => {})
  await admin.connect()
  await makeLogFiles(admin)
  const url = (database: string) => Object.assign(new URL(server.url), { pathname: `/${database}` }).href
  const copy = async (from: string, to: string) => {
    await admin.query(`create database ${to} template ${from}`)
    await admin.query('checkpoint')
  }
  const query = async (database: string, sql: string) => {
    const client = new pg.Client(url(database))
    await client.connect()
    return client.query<{ count: string }>(sql).finally(() => client.end())
  }
  return {
    pid: await serverPid(admin),
    url,
    copy,
    count: async (database, sql) => +(await query(database, sql)).rows[0]!.count,
    analyze: async (database) => void (await query(database, 'analyze')),
    create: async (database) => void (await admin.query(`create database ${database}`)),
    drop: async (database) => void (await admin.query(`drop database ${database} with (force)`)),
    stop: () => admin.end().then(server.stop),
  }
}

/**
 * Creates log files in advance, as checkpoints recycle them on a server that has run for a while. A
 * new server creates each file on demand, and all commits wait.
 */
async function makeLogFiles(admin: pg.Client): Promise<void> {
  for (let file = 0; file < LOG_FILES; file++) {
    await admin.query("select pg_logical_emit_message(false, 'bench', 'one file more')")
    await admin.query('select pg_switch_wal()')
  }
  await admin.query('checkpoint')
}

export async function serverPid(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ pid: number }>('select pg_backend_pid() as pid')
  return readParent(rows[0]!.pid)
}

async function refuseUnlessDurable(admin: pg.Client): Promise<void> {
  for (const name of REQUIRED_SETTINGS) {
    const { rows } = await admin.query<Record<string, string>>(`show ${name}`)
    if (rows[0]?.[name] !== 'on') throw new Error(`Postgres must run with ${name} on`)
  }
  const { rows } = await admin.query<{ data_directory: string }>('show data_directory')
  const folder = rows[0]!.data_directory
  if (isRam(folder)) throw new Error(`the database lies in memory (${folder}), where an fsync costs nothing`)
}

const TMPFS_MAGIC = 0x01021994
const SYNCS = 200
const WAL_PAGE = Buffer.alloc(8192)

function isRam(folder: string): boolean {
  return statfsSync(folder).type === TMPFS_MAGIC
}

export function disk(): { isRam: boolean; fdatasyncMs: number } {
  return { isRam: isRam(tmpdir()), fdatasyncMs: medianFdatasyncMs() }
}

/** The minimum wait of one commit. */
function medianFdatasyncMs(): number {
  const path = join(tmpdir(), `purser-bench-fdatasync-${process.pid}`)
  const file = openSync(path, 'w')
  const times = Array.from({ length: SYNCS }, () => {
    const start = performance.now()
    writeSync(file, WAL_PAGE, 0, WAL_PAGE.length, 0)
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  rmSync(path)
  return times.sort((a, b) => a - b)[SYNCS / 2]!
}
