/** Migrations beside servers that go on: no call waits for a long migration, and none queues behind a migration that waits. */
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import Postgrator from 'postgrator'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDb } from '../../src/db/database-factory.ts'
import type { Db } from '../../src/db/db.ts'
import { migrateSchema } from '../../src/db/schema-migration.ts'
import { DROP_EVERY_SCHEMA } from '../cli/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

/** Before there were names of platforms (59) and bets of an event (60). */
const OLD_VERSION = '52'
const A_BET = `insert into purser.bet (bucket, player, bet_id, status, calls, first_seen_at, changed_at)
  values (0, 'alice', 'a-bet-of-before', 'unknown', 1, now(), now())`
/** As a call does, but that it waits longer: a busy machine is not the fault of a migration. */
const A_CALL = "set lock_timeout = '10s'; update purser.bet set calls = calls + 1"

let database: TestDatabase
let db: Db
const clients: pg.Client[] = []
let migrateTo: (version: string) => Promise<void>

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  clients.push(client)
  return client
}

beforeEach(async () => {
  database = await createDatabase()
  const owner = await connect()
  await owner.query(DROP_EVERY_SCHEMA)
  const old = new Postgrator({
    migrationPattern: fileURLToPath(new URL('../../migrations/*.sql', import.meta.url)),
    driver: 'pg',
    schemaTable: 'purser.migration',
    execQuery: (sql) => owner.query(sql),
  })
  await old.migrate(OLD_VERSION)
  migrateTo = async (version) => void (await old.migrate(version))
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

test('calls continue while a migration waits for a long read, because earlier migrations hold no lock', async () => {
  const [others, call] = [await connect(), await connect()]
  await others.query('begin; lock table purser.bet_details in access exclusive mode') // the 60th reads for as long as this stands
  const migrated = migrateSchema(db)
  await expect.poll(() => isWaiting(call, 'purser.bet_details'), { timeout: 60_000 }).toBe(true)
  expect(await versionSeenBy(call)).toBe(59)
  await call.query(A_CALL)
  await others.query('commit')
  const { version, applied } = await migrated
  expect(applied.slice(0, 2)).toEqual(['59 platform-names', '60 bets-of-an-event'])
  expect(await versionSeenBy(call)).toBe(version)
})

test('a migration that waits for a table in an audit lets calls pass until the audit ends', async () => {
  const [audit, call] = [await connect(), await connect()]
  await audit.query('begin; select from purser.transfer') // 59 changes purser.bet, then purser.transfer
  const migrated = migrateSchema(db)
  for (const _ of [1, 2, 3]) {
    await expect.poll(() => isWaiting(call, 'purser.transfer'), { timeout: 60_000, interval: 5 }).toBe(true)
    await call.query(A_CALL)
  }
  expect(await versionSeenBy(call)).toBe(Number(OLD_VERSION))
  await audit.query('commit')
  expect((await migrated).applied[0]).toBe('59 platform-names')
})

test('a migration that never gets its table reports this, and the next run applies it', async () => {
  const audit = await connect()
  await audit.query('begin; lock table purser.bet_details in access exclusive mode')
  await expect(migrateSchema(db, [100, 200])).rejects.toThrow(
    /migration 60 bets-of-an-event waits for a table .* applied by this run: 59 platform-names before it/,
  )
  await audit.query('commit')
  expect((await migrateSchema(db)).applied[0]).toBe('60 bets-of-an-event')
})

test('a migration that fails keeps the earlier ones, reports its name, and is applied by the next run', async () => {
  const owner = await connect()
  await owner.query('create table purser.bet_event ()')
  await expect(migrateSchema(db)).rejects.toThrow(
    /migration 60 bets-of-an-event failed: .*already exists; applied by this run: 59 platform-names before it/,
  )
  expect(await versionSeenBy(owner)).toBe(59)
  await owner.query('drop table purser.bet_event')
  expect((await migrateSchema(db)).applied[0]).toBe('60 bets-of-an-event')
})

test('an index that was built in advance and interrupted is built again', async () => {
  const [owner, writer] = [await connect(), await connect()]
  await writer.query('begin; lock table purser.bet_call in row exclusive mode')
  await owner.query("set statement_timeout = '200ms'")
  const beforehand = 'create index concurrently bet_call_late on purser.bet_call (player, bet_id, request_id)'
  await expect(owner.query(beforehand)).rejects.toThrow(/statement timeout/)
  await writer.query('commit')
  await migrateSchema(db)
  const { rows } = await writer.query(
    "select indisvalid from pg_index where indexrelid = 'purser.bet_call_late'::regclass",
  )
  expect(rows).toEqual([{ indisvalid: true }])
})

test('changes with a duplicate id after a reset sequence get another id, and keep their number', async () => {
  const owner = await connect()
  await migrateTo('230')
  const row = (id: number, bucket: number, number: number | null) =>
    `(${bucket}, ${id}, 1, '2031-05-16', '[["a"]]', ${number})`
  await owner.query(
    `create publication everything for all tables;
     insert into purser.change (bucket, change_id, size, at, events, last_number) overriding system value
       values ${[row(7, 0, 1), row(7, 0, null), row(7, 1, 2), row(8, 0, null)].join()};
     insert into platform.change (change_id, size, at, events) overriding system value
       select 5, 1, '2031-05-16', '[["b"]]' from generate_series(1, 3)`,
  )
  const { applied } = await migrateSchema(db)
  expect(applied[0]).toBe('231 keys-of-all-tables')
  const wallet = await owner.query('select change_id, last_number from purser.change order by change_id, last_number')
  expect(wallet.rows.map((one) => Object.values(one).map(Number))).toEqual([
    [7, 1],
    [7, 2],
    [8, 0],
    [expect.toSatisfy((id) => id > 8), 0],
  ])
  const platform = await owner.query('select distinct change_id from platform.change')
  expect(platform.rowCount).toBe(3)
  await owner.query(`insert into platform.change (size, at, events) values (1, now(), '[["c"]]')`)
})
