/** Databases of their own on a real Postgres: made once, used by many runs, each of which begins with them as they were, and dropped in the end. */
import pg from 'pg'
import { environment, replaceEnvironment } from '../../runtime/environment.ts'
import type { Db } from '../../server/core/database/db.ts'
import { openPostgres } from '../../server/core/database/postgres/postgres.ts'
import { recordBucketCount } from '../../server/core/database/schema/buckets.ts'
import { requireRecordedScales } from '../../server/core/database/schema/currency-scales.ts'
import { prepareDatabase } from '../../server/core/database/schema/database-startup.ts'
import { recordAndRequireSettings } from '../../server/servers/money-settings.ts'
import { CONFIGS, type Store, snapshotTables } from '../market/databases/market-store.ts'
import { type LockObserver, openObserver } from './lock-observer.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

export interface RunDatabase extends Pick<Store, 'empty' | 'backup'> {
  readonly url: string
  /** Beside the proxy, in real time. */
  readonly db: Db
}

export interface LocksBase {
  /** Of both wallets. */
  readonly wallet: RunDatabase
  readonly platform: RunDatabase
  readonly observer: LockObserver
  /** Processes for the wallets. */
  readonly workerPool: WorkerPool
  drop(): Promise<void>
}

/** `server`: the address of a database of a role that may make others and change what only superusers may. */
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
  // Circles of waiting are the simulation's to end, so that it is the seed that says who hears of it.
  await runSql(server, `alter database ${name} set deadlock_timeout = '1h'`)
  const db = await openIdle(url)
  const config = CONFIGS[of]
  await prepareDatabase(db, of, 'auto')
  await requireRecordedScales(db, of, config.scales)
  await recordAndRequireSettings(db, of, config)
  if (of === 'wallet') await recordBucketCount(db, config.buckets)
  return { url, db, ...(await snapshotTables(db, of === 'wallet' ? 'purser' : of)) }
}

/** It does nothing unless it is asked to: what it did in the time of a run would depend on the real time. */
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
