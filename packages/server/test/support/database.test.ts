import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from './database.ts'

const created: TestDatabase[] = []

afterAll(() => Promise.all(created.map((database) => database.drop())))

async function newDatabase(): Promise<TestDatabase> {
  const database = await createDatabase()
  created.push(database)
  return database
}

async function ask(database: TestDatabase, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('a test database is migrated, and no other test writes into it', async () => {
  const [mine, other] = await Promise.all([newDatabase(), newDatabase()])
  await ask(mine, 'create table purser.only_mine ()')
  const tables = "select from information_schema.tables where table_schema = 'purser' and table_name = 'only_mine'"
  expect(await ask(mine, tables)).toHaveLength(1)
  expect(await ask(other, tables)).toHaveLength(0)
  expect(await ask(other, "select from information_schema.tables where table_schema = 'purser'")).not.toHaveLength(0)
})

test('the Postgres of the tests commits as durably as production, which the kill tests require', async () => {
  const settings = "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit"
  expect(await ask(await newDatabase(), settings)).toEqual([{ fsync: 'on', commit: 'on' }])
})

test('a test database can be dropped while a session is open in it', async () => {
  const database = await newDatabase()
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  await database.drop()
  await expect(ask(database, 'select')).rejects.toThrow('does not exist')
})
