/** A database of its own on a real Postgres: made once, used by many runs, each of which begins with it as it was, and dropped in the end. */
import pg from 'pg'
import { fixBuckets } from '../../db/buckets.ts'
import type { Db } from '../../db/db.ts'
import { openPostgres } from '../../db/postgres.ts'
import { prepareDb } from '../../db/prepare.ts'
import { checkScales } from '../../db/scales.ts'
import { requireSettings } from '../../process/money-settings.ts'
import { takeOver, world } from '../../runtime/world.ts'
import { CONFIGS, keepBeginning } from '../market/store.ts'
import { type Observer, openObserver } from './observer.ts'

export interface Base {
  readonly url: string
  /** Beside the proxy, in real time. */
  readonly db: Db
  readonly observer: Observer
  /** As it was when it was made. */
  empty(): Promise<void>
  drop(): Promise<void>
}

/** `server`: the address of a database of a role that may make others and change what only superusers may. */
export async function makeBase(server: string): Promise<Base> {
  const name = `purser_simulation_${world.uuid().slice(0, 8)}`
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  await inSql(server, `create database ${name}`)
  // Circles of waiting are the simulation's to end, so that it is the seed that says who hears of it.
  await inSql(server, `alter database ${name} set deadlock_timeout = '1h'`)
  const db = await openIdle(url)
  const config = CONFIGS.wallet
  await prepareDb(db, 'wallet', 'auto')
  await checkScales(db, 'wallet', config.scales)
  await requireSettings(db, 'wallet', config)
  await fixBuckets(db, config.buckets)
  const [{ empty }, observer] = [await keepBeginning(db, 'purser'), await openObserver(url)]
  return {
    ...{ url, db, observer, empty },
    async drop() {
      await Promise.all([db.close(), observer.close()])
      await inSql(server, `drop database if exists ${name} with (force)`)
    },
  }
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
