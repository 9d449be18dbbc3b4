/** Databases of their own on a real Postgres: made once, used by many runs, each of which begins with them as they were, and dropped in the end. */
import pg from 'pg'
import { fixBuckets } from '../../db/buckets.ts'
import type { Db } from '../../db/db.ts'
import { openPostgres } from '../../db/postgres.ts'
import { prepareDb } from '../../db/prepare.ts'
import { checkScales } from '../../db/scales.ts'
import { requireSettings } from '../../process/money-settings.ts'
import { takeOver, world } from '../../runtime/world.ts'
import { CONFIGS, keepBeginning, type Store } from '../market/store.ts'
import { type Crew, gatherCrew } from './crew.ts'
import { type Observer, openObserver } from './observer.ts'

export interface Database extends Pick<Store, 'empty' | 'backup'> {
  readonly url: string
  /** Beside the proxy, in real time. */
  readonly db: Db
}

export interface Base {
  /** Of both wallets. */
  readonly wallet: Database
  readonly platform: Database
  readonly observer: Observer
  /** Processes for the wallets. */
  readonly crew: Crew
  drop(): Promise<void>
}

/** `server`: the address of a database of a role that may make others and change what only superusers may. */
export async function makeBase(server: string): Promise<Base> {
  const crew = gatherCrew()
  const [wallet, platform] = [await makeDatabase(server, 'wallet'), await makeDatabase(server, 'platform')]
  const observer = await openObserver(server)
  return {
    ...{ wallet, platform, observer, crew },
    async drop() {
      crew.end()
      await Promise.all([wallet.db.close(), platform.db.close(), observer.close()])
      for (const { url } of [wallet, platform])
        await inSql(server, `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
    },
  }
}

async function makeDatabase(server: string, of: 'wallet' | 'platform'): Promise<Database> {
  const name = `purser_simulation_${world.uuid().slice(0, 8)}`
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  await inSql(server, `create database ${name}`)
  // Circles of waiting are the simulation's to end, so that it is the seed that says who hears of it.
  await inSql(server, `alter database ${name} set deadlock_timeout = '1h'`)
  const db = await openIdle(url)
  const config = CONFIGS[of]
  await prepareDb(db, of, 'auto')
  await checkScales(db, of, config.scales)
  await requireSettings(db, of, config)
  if (of === 'wallet') await fixBuckets(db, config.buckets)
  return { url, db, ...(await keepBeginning(db, of === 'wallet' ? 'purser' : of)) }
}

/** It does nothing unless it is asked to: what it did in the time of a run would depend on the real time. */
async function openIdle(url: string): Promise<Db> {
  const giveBack = takeOver({ every: () => () => {} })
  try {
    return await openPostgres(url)
  } finally {
    giveBack()
  }
}

async function inSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
