/**
 * readWalChanges counts the rows and index entries of each call in the write-ahead log (WAL). The
 * test knows every record of this WAL.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readWalChanges } from '../../bench/wal-changes.ts'
import { createDatabase, type TestDatabase } from '../../packages/server/test/support/database.ts'

const CALLS = 2
let database: TestDatabase
let sql: pg.Client
beforeAll(async () => {
  database = await createDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query('create table money (id int primary key, amount int) with (autovacuum_enabled = off)')
  await sql.query('create index on money (amount)')
  await sql.query('insert into money values (1, 1), (2, 2)')
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const place = async (): Promise<number> =>
  Number((await sql.query("select pg_current_wal_flush_lsn() - '0/0' as at")).rows[0].at)

test('readWalChanges counts locked, inserted and changed rows and the entries of each index per call', async () => {
  await sql.query('checkpoint') // the next record of each page is a full-page image
  const from = await place()
  await sql.query('select from money where id = 1 for update')
  await sql.query('insert into money values (3, 3)')
  await sql.query('update money set amount = amount + 10 where id = 2')
  await sql.query('update money set id = id where id = 3')
  const touched = await readWalChanges(database.url, from, await place(), CALLS)
  const nothing = { locks: 0, rows: 0, changesInPlace: 0, changes: 0, entries: 0, images: 0 }
  expect(touched.filter(({ relation }) => relation.startsWith('money'))).toEqual([
    { ...nothing, relation: 'money', locks: 0.5, rows: 0.5, changesInPlace: 0.5, changes: 0.5, images: 0.5 },
    { ...nothing, relation: 'money_amount_idx', entries: 1, images: 0.5 },
    { ...nothing, relation: 'money_pkey', entries: 1, images: 0.5 },
  ])
})
