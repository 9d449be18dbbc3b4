/**
 * Creates the databases of a run on a real Postgres. Each run resets them, and they are dropped at
 * the end.
 */

import { environment, replaceEnvironment } from '@purser/runtime/environment'
import pg from 'pg'
import type { Db } from 'purser/core/database/db'
import { openPostgres } from 'purser/core/database/postgres/postgres'
import { recordBucketCount } from 'purser/core/database/schema/buckets'
import { requireRecordedScales } from 'purser/core/database/schema/currency-scales'
import { prepareDatabase } from 'purser/core/database/schema/database-startup'
import { recordAndRequireSettings } from 'purser/servers/money-settings'
import { CONFIGS, type Store, snapshotTables } from '../market/databases/market-store.ts'
import { type LockObserver, openObserver } from './lock-observer.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

export interface RunDatabase extends Pick<Store, 'empty' | 'backup'> {
  readonly url: string
  /** Without the proxy, in real time. */
  readonly db: Db
}

export interface LocksBase {
  /** The database of both wallets. */
  readonly wallet: RunDatabase
  readonly platform: RunDatabase
  readonly observer: LockObserver
  readonly workerPool: WorkerPool
  drop(): Promise<void>
}

/** `server`: a URL whose role can create databases and change settings of superusers. */
export async function createLocksBase(server: string): Promise<LocksBase> {
  const workerPool = createWorkerPool()
  const [wallet, platform] = [await createRunDatabase(server, 'wallet'), await createRunDatabase(server, 'platform')]
  const observer = await openObserver(server)
  return {
    ...{ wallet, platform, observer, workerPool },
    async drop() {
      workerPool.end()
      await Promise.all([wallet.db.close(), platform.db.close(), observer.close()])
      for (const { url } of [wallet, platform])
        await runSql(server, `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
    },
  }
}

async function createRunDatabase(server: string, of: 'wallet' | 'platform'): Promise<RunDatabase> {
  const name = `purser_simulation_${environment.uuid().slice(0, 8)}`
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  await runSql(server, `create database ${name}`)
  // The simulation ends deadlocks itself, so that the seed decides which session fails.
  await runSql(server, `alter database ${name} set deadlock_timeout = '1h'`)
  const db = await openIdle(url)
  const config = CONFIGS[of]
  await prepareDatabase(db, of, 'auto')
  await requireRecordedScales(db, of, config.scales)
  await recordAndRequireSettings(db, of, config)
  if (of === 'wallet') await recordBucketCount(db, config.buckets)
  return { url, db, ...(await snapshotTables(db, of === 'wallet' ? 'purser' : of)) }
}

/** Without repeating timers, whose work would depend on the real time. */
async function openIdle(url: string): Promise<Db> {
  const giveBack = replaceEnvironment({ setRepeatingTimer: () => () => {} })
  try {
    return await openPostgres(url)
  } finally {
    giveBack()
  }
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
