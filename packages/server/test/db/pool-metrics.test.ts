import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement } from '../../src/core/database/db.ts'
import { createDatabase } from '../support/database.ts'
import { signal } from '../support/signal.ts'

const ONE = statement('one', 'select 1')

let database: Awaited<ReturnType<typeof createDatabase>>
let db: Db
beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const waiting = (use: string) => db.pools().find((pool) => pool.use === use)?.waiting

test('a statement on a free connection has no waiting time, also in the turn that requests it', async () => {
  await db.userQueries.query(ONE)
  const answer = db.userQueries.query(ONE)
  expect(waiting('people')).toBe(0)
  await answer
})

test('a transaction waits for a connection while others hold all connections of the pool', async () => {
  const { given, give } = signal()
  const { most } = db.pools().find(({ use }) => use === 'sums') ?? { most: 0 }
  const holders = Array.from({ length: most }, () => db.reportSnapshot(() => given))
  const last = db.reportSnapshot(() => given)
  expect(waiting('sums')).toBe(1)
  give()
  await Promise.all([...holders, last])
  expect(waiting('sums')).toBe(0)
})
