/**
 * Consecutive transactions share the connection of a lane (a queue of calls). Each transaction is
 * atomic, even after a failed one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db, Tx } from '../../src/core/database/db.ts'
import { statement } from '../../src/core/database/db.ts'
import { createDatabase } from '../support/database.ts'

const INSERT = statement('insert', 'insert into public.kept values ($1::int)')
const READ = statement('read', 'select n from public.kept order by n')
const PID = statement('pid', 'select pg_backend_pid() as pid')

let database: Awaited<ReturnType<typeof createDatabase>>
let db: Db
let sql: pg.Client
let lane: ReturnType<Db['openLane']>

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
  lane = db.openLane()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query('create table public.kept (n int primary key deferrable initially deferred, check (n < 100))')
})

beforeEach(async () => {
  await sql.query('truncate public.kept')
})

afterAll(async () => {
  await sql.end()
  await db.close()
  await database.drop()
})

async function kept(): Promise<number[]> {
  return (await sql.query('select n from public.kept order by n')).rows.map(({ n }) => n)
}

/** Reads, then sends these rows together with COMMIT. */
const inserting =
  (...rows: readonly number[]) =>
  async (tx: Tx) => {
    await tx.query(READ)
    await tx.finish(() => Promise.all(rows.map((n) => tx.execute(INSERT, [n]))))
  }

/** Sends everything in one write, as the fast path does. */
const atOnce =
  (...rows: readonly number[]) =>
  async (tx: Tx) => {
    await tx.finish(() => Promise.all(rows.map((n) => tx.execute(INSERT, [n]))))
  }

const pidOf = async (tx: Tx) => (await tx.query<{ pid: number }>(PID))[0]?.pid

test.each([
  ['a statement behind which COMMIT was sent', inserting(1, 100)],
  ['the COMMIT itself', inserting(1, 1)],
  ['a statement that was sent with BEGIN and COMMIT', atOnce(1, 100)],
  ['the COMMIT that was sent with BEGIN', atOnce(1, 1)],
])('when %s fails, its transaction is rolled back, and the next one is complete', async (_what, failing) => {
  await expect(lane.transaction(failing)).rejects.toBeDefined()
  await lane.transaction(inserting(2, 3))
  expect(await kept()).toEqual([2, 3])
})

test('a transaction that fails before its COMMIT keeps the connection', async () => {
  const pid = await lane.transaction(pidOf)
  await expect(lane.transaction(atOnce(1, 100))).rejects.toMatchObject({ code: '23514' })
  expect(await lane.transaction(pidOf)).toBe(pid)
})

test('a transaction that sends no statement is not started', async () => {
  expect(await lane.transaction((tx) => tx.finish(async () => 'nothing'))).toBe('nothing')
  const undecided = async () => {
    throw new Error('on second thoughts')
  }
  await expect(lane.transaction(undecided)).rejects.toThrow('on second thoughts')
  await lane.transaction(inserting(1))
  expect(await kept()).toEqual([1])
})

test('a transaction that fails before its last statements is rolled back before the next one starts', async () => {
  const failing = async (tx: Tx) => {
    await tx.execute(INSERT, [1])
    throw new Error('on second thoughts')
  }
  await expect(lane.transaction(failing)).rejects.toThrow('on second thoughts')
  await lane.transaction(inserting(2))
  expect(await kept()).toEqual([2])
})

test.each(['serializable', 'repeatable read'])('the isolation level is right when the default is %s', async (usual) => {
  const name = new URL(database.url).pathname.slice(1)
  await sql.query(`alter database "${name}" set default_transaction_isolation = '${usual}'`)
  const fresh = await openDb({ kind: 'postgres', url: database.url })
  const level = statement('level', "select current_setting('transaction_isolation') as level")
  for (const { transaction } of [fresh, fresh.openLane()])
    expect(await transaction((tx) => tx.query(level))).toEqual([{ level: 'read committed' }])
  await sql.query(`alter database "${name}" reset default_transaction_isolation`)
  await fresh.close()
})

async function cutWhenAsleep(pid: number | undefined): Promise<void> {
  const asleep = "select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'"
  while ((await sql.query(asleep, [pid])).rowCount === 0) await sleep(5)
  await sql.query('select pg_terminate_backend($1)', [pid])
}

test('a broken connection fails its whole transaction, and the next one has a new connection', async () => {
  const cut = async (tx: Tx) => {
    void cutWhenAsleep(await pidOf(tx))
    await tx.execute(INSERT, [1])
    await tx.query(statement('asleep', 'select pg_sleep(60)')) // cut before it ends
    return inserting(2)(tx)
  }
  await expect(lane.transaction(cut)).rejects.toBeDefined()
  await lane.transaction(inserting(3))
  expect(await kept()).toEqual([3])
})

test('concurrent transactions are executed in order', async () => {
  const order = Array.from({ length: 50 }, (_, n) => n)
  const seen: number[] = []
  const one = (n: number) => lane.transaction((tx) => inserting(n)(tx).then(() => void seen.push(n)))
  await Promise.all(order.map(one))
  expect(seen).toEqual(order)
  expect(await kept()).toEqual(order)
})
