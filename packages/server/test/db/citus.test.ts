// The list of distributed tables and the errors of Citus, tested without a Citus server.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isBusy, isConflict, isDataError, isLockTimeout, isOutage } from '../../src/core/database/database-errors.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { CITUS_SESSION_SQL, type Db, type Row, statement } from '../../src/core/database/db.ts'
import { DISTRIBUTED_TABLES, distributeTables } from '../../src/core/database/postgres/citus.ts'
import { CITUS_FAST_PATH } from '../../src/wallet/queue/citus-fast-path.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
})

afterAll(async () => {
  await db.close()
  await database.drop()
})

const ask = (name: string, text: string): Promise<Row[]> => db.query(statement(name, text))

test('exactly the wallet’s tables with a bucket are distributed by it', async () => {
  const rows = await ask(
    'with_bucket',
    `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'bucket'
     where c.relnamespace = 'purser'::regnamespace and c.relkind in ('r', 'p')`,
  )
  expect(rows.map(({ relname }) => relname).sort()).toEqual([...DISTRIBUTED_TABLES].sort())
})

test('the unique constraints of these tables are unique within a bucket', async () => {
  const rows = await ask(
    'unique_without_bucket',
    `select c.relname as "table", i.indexrelid::regclass::text as index from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = 'purser'::regnamespace and (i.indisunique or i.indisexclusion)
       and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'bucket')
       and not exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'bucket' and a.attnum = any(i.indkey))`,
  )
  expect(rows).toEqual([])
})

test('these tables have no foreign key in either direction', async () => {
  const rows = await ask(
    'foreign_keys',
    `select conname, f.relname as from, t.relname as to from pg_constraint k
     join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid where k.contype = 'f' and k.connamespace = 'purser'::regnamespace`,
  )
  const tables: readonly unknown[] = DISTRIBUTED_TABLES
  expect(rows.filter(({ from, to }) => tables.includes(from) || tables.includes(to))).toEqual([])
})

test('the settings for Citus leave a Postgres without it unchanged', async () => {
  const rows = await db.script(async (run) => {
    await run('set local plan_cache_mode = force_generic_plan')
    await run(CITUS_SESSION_SQL)
    return run(
      "select current_setting('plan_cache_mode') as mode, current_setting('citus.propagate_set_commands', true) as citus",
    )
  })
  expect(rows).toEqual([{ mode: 'force_generic_plan', citus: null }])
  expect(db.kind).toBe('postgres')
})

test('a Postgres without Citus is not distributed, and the command names the missing extension', async () => {
  await expect(distributeTables(db, 8, CITUS_FAST_PATH)).rejects.toThrow(
    'the database has no Citus: create extension citus',
  )
})

const said = (message: string, code = 'XX000') => Object.assign(new Error(message), { code })

test('a duplicate key on a worker is a conflict, although it arrives as an internal error with the shard’s name', () => {
  const error = said('duplicate key value violates unique constraint "bet_pkey_102043"')
  expect([isConflict(error), isOutage(error), isDataError(error)]).toEqual([true, false, true])
})

test('a cancelled wait on a worker, and a deadlock, are reported as on a single Postgres', () => {
  const waited = said('canceling statement due to lock timeout')
  expect([isLockTimeout(waited), isBusy(waited), isDataError(waited)]).toEqual([true, true, false])
  expect([isConflict(said('deadlock detected')), isBusy(said('canceling statement due to statement timeout'))]).toEqual(
    [true, true],
  )
})

test('other internal errors are unchanged, and an error with its own code never becomes a conflict by its text', () => {
  const other = said('invalid page in block 7 of relation base/5/16384')
  expect([isConflict(other), isBusy(other), isDataError(other)]).toEqual([false, false, true])
  expect(isConflict(said('duplicate key value violates unique constraint "bet_pkey"', '42P10'))).toBe(false)
})
