/**
 * A server that is stopped writes its last calls into the journal and into the statistics (W-30).
 */
import { randomUUID } from 'node:crypto'
import { replaceEnvironment } from '@purser/runtime/environment'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startGateway } from '../support/gateway.ts'
import { startWallet } from '../support/wallet.ts'

let database: TestDatabase
let restore: () => void
beforeEach(async () => {
  // Repeating timers never run, so only the end of the server can write.
  restore = replaceEnvironment({ setRepeatingTimer: () => () => {} })
  database = await createDatabase()
})
afterEach(async () => {
  restore()
  await database.drop()
})

const CALLS = 3
const JOURNAL = (schema: string) => `select coalesce(sum(calls), 0)::int as calls from ${schema}.journal`
const STATISTICS = 'select coalesce(sum(refused), 0)::int as calls from purser.call_stats'

async function count(query: string): Promise<number> {
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  const { rows } = await sql.query(query)
  await sql.end()
  return rows[0].calls
}

test.each([
  ['wallet', startWallet, [JOURNAL('purser'), STATISTICS]],
  ['gateway', startGateway, [JOURNAL('gateway')]],
] as const)('a %s that is stopped writes its last calls', async (_server, start, queries) => {
  const server = await start({ databaseUrl: database.url })
  for (let i = 0; i < CALLS; i++) await server.wire.call('POST', '/payment/bet', randomUUID(), { signature: null })
  for (const query of queries) expect(await count(query), query).toBe(0)
  await server.stop()
  for (const query of queries) expect(await count(query), query).toBe(CALLS)
})
