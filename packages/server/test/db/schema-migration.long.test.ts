/** No call waits for a long migration, or for a migration that itself waits for a lock. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { migrateSchema } from '../../src/core/database/schema/schema-migration.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const A_BET = `insert into purser.bet (bucket, player, bet_id, status, calls, first_seen_at, changed_at)
  values (0, 'alice', 'a-bet-of-before', 'unknown', 1, now(), now())`
/** A call with a longer lock timeout than usual, since a slow machine must not fail the test. */
const A_CALL = "set lock_timeout = '10s'; update purser.bet set calls = calls + 1"

/** After the program's migrations: one changes two tables, one reads a third. */
const LATER = {
  '9001.do.two-tables.sql': 'alter table purser.bet add column x int; alter table purser.transfer add column x int;',
  '9002.do.read-details.sql': 'create table purser.later as select bet_id from purser.bet_details;',
}

let folder: string
let database: TestDatabase
let db: Db
const clients: pg.Client[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'purser-migrations-'))
  cpSync(fileURLToPath(new URL('../../migrations', import.meta.url)), folder, { recursive: true })
  for (const [name, sql] of Object.entries(LATER)) writeFileSync(join(folder, name), sql)
})
afterAll(() => rmSync(folder, { recursive: true }))

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  clients.push(client)
  return client
}

beforeEach(async () => {
  database = await createDatabase()
  const owner = await connect()
  await owner.query(A_BET)
  db = await openDb({ kind: 'postgres', url: database.url })
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()))
  await db.close()
  await database.drop()
})

async function versionSeenBy(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: string }>('select max(version) as version from purser.migration')
  return Number(rows[0]?.version)
}

async function isWaiting(client: pg.Client, relation: string): Promise<boolean> {
  const found = await client.query('select from pg_locks where not granted and relation = $1::regclass', [relation])
  return found.rowCount === 1
}

test('calls go on while a migration reads every bet for long, because those before it hold no lock', async () => {
  const [others, call] = [await connect(), await connect()]
  // 9002 reads the table and waits while this lock is held.
  await others.query('begin; lock table purser.bet_details in access exclusive mode')
  const migrated = migrateSchema(db, { folder })
  await expect.poll(() => isWaiting(call, 'purser.bet_details'), { timeout: 60_000 }).toBe(true)
  expect(await versionSeenBy(call)).toBe(9001)
  await call.query(A_CALL)
  await others.query('commit')
  expect(await migrated).toEqual({ version: 9002, applied: ['9001 two-tables', '9002 read-details'] })
  expect(await versionSeenBy(call)).toBe(9002)
})

test('a migration that waits for a table which an audit reads gives way to calls, until the audit ends', async () => {
  const [audit, call] = [await connect(), await connect()]
  // 9001 changes purser.bet, then purser.transfer.
  await audit.query('begin; select from purser.transfer')
  const before = await versionSeenBy(call)
  const migrated = migrateSchema(db, { folder })
  for (const _ of [1, 2, 3]) {
    await expect.poll(() => isWaiting(call, 'purser.transfer'), { timeout: 60_000, interval: 5 }).toBe(true)
    await call.query(A_CALL)
  }
  expect(await versionSeenBy(call)).toBe(before)
  await audit.query('commit')
  expect((await migrated).applied[0]).toBe('9001 two-tables')
})

test('a migration that never gets its table names it in the error, and is applied by the next run', async () => {
  const audit = await connect()
  await audit.query('begin; lock table purser.bet_details in access exclusive mode')
  await expect(migrateSchema(db, { folder, lockWaitsMs: [100, 200] })).rejects.toThrow(
    /migration 9002 read-details waits for a table .* applied by this run: 9001 two-tables before it/,
  )
  await audit.query('commit')
  expect((await migrateSchema(db, { folder })).applied).toEqual(['9002 read-details'])
})

test('a migration that fails leaves those before it, names itself, and is applied by the next run', async () => {
  const owner = await connect()
  await owner.query('create table purser.later ()')
  await expect(migrateSchema(db, { folder })).rejects.toThrow(
    /migration 9002 read-details failed: .*already exists; applied by this run: 9001 two-tables before it/,
  )
  expect(await versionSeenBy(owner)).toBe(9001)
  await owner.query('drop table purser.later')
  expect((await migrateSchema(db, { folder })).applied).toEqual(['9002 read-details'])
})
