/**
 * A pass of the deliverer makes few round trips to the database. Each one delays the calls to all
 * partners.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db, Statement, Tx } from '../../src/core/database/db.ts'
import { servePlatform } from '../../src/servers/platform-server.ts'
import { asServer, createDatabase, type TestDatabase } from '../support/database.ts'
import { platformClient } from '../support/platform.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'

let database: TestDatabase
let db: Db
let wallet: ScriptedWallet
beforeEach(async () => {
  database = await createDatabase()
  wallet = await startScriptedWallet()
})
afterEach(async () => {
  await wallet.stop()
  await db.close()
  await database.drop()
})

/** Names of the statements of each round trip; the last trip has the commit. */
type Trips = string[][]

/**
 * Counts round trips. Answers arrive in the order of the statements, so a statement starts a new
 * trip after the last answered one.
 */
function watching(tx: Tx, trips: Trips): Tx {
  let answered = 0
  const sent = async <T>(name: string, send: () => Promise<T>): Promise<T> => {
    const trip = answered
    trips[trip] = [...(trips[trip] ?? []), name]
    return send().finally(() => {
      answered = Math.max(answered, trip + 1)
    })
  }
  return {
    query: (statement: Statement, values) => sent(statement.name, () => tx.query(statement, values)) as never,
    execute: (statement, values) => sent(statement.name, () => tx.execute(statement, values)),
    finish(send) {
      const answered = tx.finish(send)
      trips.at(-1)?.push('commit')
      return answered
    },
  }
}

/** A platform on the database, and the round trips of each transaction. */
async function watchedPlatform() {
  const key = 'a-key-of-some-length'
  const env = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    PLATFORM_API_KEY: key,
    DATABASE_URL: asServer('platform', database.url),
  }
  const transactions: Trips[] = []
  db = await openDb({ kind: 'postgres', url: database.url })
  const transaction: Db['transaction'] = (work) =>
    db.transaction((tx) => {
      const trips: Trips = []
      transactions.push(trips)
      return work(watching(tx, trips))
    })
  const config = readConfig(env, PROCESS_ROLES.platform)
  const { url, close } = await servePlatform(config, { db: { ...db, transaction } })
  return { api: platformClient(url, key), close, transactions }
}

const BETS = 300

test('a turn that records and claims takes two round trips', async () => {
  const { api, close, transactions } = await watchedPlatform()
  const frame = await api.loadFrame(await api.savePartner(wallet))
  const selections = [{ eventId: 'final', outcomeId: 'home', coefficient: '2.5' }]
  await Promise.all(Array.from({ length: BETS }, () => api.place(frame, { selections })))
  await api.results('final', { home: 'won' })
  await api.results('final', { home: 'lost' })
  await wallet.seen('settle', 2 * BETS)
  await close()
  const names = transactions.map((trips) => trips.map((trip) => trip.join(' ')))
  const busy = names.filter((trips) => /platform_finish/.test(`${trips}`) && /platform_claim/.test(`${trips}`))
  expect(busy.length).toBeGreaterThan(0)
  expect(busy.filter((trips) => /platform_promote/.test(`${trips}`)).length).toBeGreaterThan(0)
  for (const trips of busy) expect(trips, trips.join(' | ')).toHaveLength(2)
  expect(new Set(busy.map(([, last]) => last?.split(' ').at(-1)))).toEqual(new Set(['commit']))
})
