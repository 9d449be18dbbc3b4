/** Transactions that are sent behind each other on one connection: each is whole or nothing, whatever became of the one before. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Chain, Db, Tx } from '../../src/db/db.ts'
import { statement } from '../../src/db/db.ts'
import { openDb } from '../../src/db/open.ts'
import { createDatabase } from '../support/database.ts'

const INSERT = statement('insert', 'insert into kept values ($1::int)')
const INSERT_SOME = statement('insert_some', 'insert into kept select unnest($1::int[])')
const READ = statement('read', 'select n, pg_backend_pid() as pid from kept order by n')

let database: Awaited<ReturnType<typeof createDatabase>>
let db: Db
let sql: pg.Client
let chain: Chain

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query('create table kept (n int primary key deferrable initially deferred, check (n < 100))')
})

beforeEach(async () => {
  await sql.query('truncate kept')
  chain = db.openChain()
})

afterAll(async () => {
  await sql.end()
  await db.close()
  await database.drop()
})

async function kept(): Promise<number[]> {
  return (await sql.query('select n from kept order by n')).rows.map(({ n }) => n)
}

/** Reads, then sends these rows with COMMIT behind them; resolves to what it read. */
const inserting =
  (...rows: readonly number[]) =>
  async (tx: Tx) => {
    const seen = await tx.query<{ n: number; pid: number }>(READ)
    await tx.finish(() => Promise.all(rows.map((n) => tx.execute(INSERT, [n]))))
    return seen
  }

/** Sends these rows as the only statement of a transaction. */
const alone =
  (...rows: readonly number[]) =>
  (tx: Tx) =>
    tx.alone(INSERT_SOME, [rows])

/** The second one is given as soon as everything of the first one is sent. */
async function oneBehindTheOther(first: (tx: Tx) => Promise<unknown>, second: (tx: Tx) => Promise<unknown>) {
  let secondEnded: Promise<unknown> | undefined
  const firstEnded = chain.transaction(first, () => {
    secondEnded ??= chain.transaction(second, () => {})
  })
  const [one] = await Promise.allSettled([firstEnded])
  const [two] = await Promise.allSettled([secondEnded])
  return { one, two }
}

test('the next one runs on the same connection and sees what was committed', async () => {
  const pids: number[] = []
  const { two } = await oneBehindTheOther(async (tx) => {
    const [row] = await tx.query<{ pid: number }>(statement('pid', 'select pg_backend_pid() as pid'))
    pids.push(row?.pid ?? 0)
    return inserting(1)(tx)
  }, inserting(2))
  expect(two).toEqual({ status: 'fulfilled', value: [{ n: 1, pid: pids[0] }] })
  expect(await kept()).toEqual([1, 2])
})

test.each([
  ['a statement behind which COMMIT was sent', inserting(1, 100)],
  ['the COMMIT itself', inserting(1, 1)],
  ['the only statement', alone(1, 100)],
  ['the end of the only statement', alone(1, 1)],
])('%s fails: nothing of it is kept, and the next one is whole', async (_what, failing) => {
  const { one, two } = await oneBehindTheOther(failing, inserting(2, 3))
  expect(one.status).toBe('rejected')
  expect(two.status).toBe('fulfilled')
  expect(await kept()).toEqual([2, 3])
})

test.each([
  ['a statement behind which COMMIT was sent', inserting(1, 100)],
  ['the COMMIT itself', inserting(1, 1)],
  ['the only statement', alone(1, 100)],
  ['the end of the only statement', alone(1, 1)],
])('%s fails: the next one, under way by then, is still one transaction', async (_what, failing) => {
  const { one, two } = await oneBehindTheOther(failing, async (tx) => {
    await tx.query(statement('long', 'select pg_sleep(0.1)'))
    return inserting(2, 101)(tx)
  })
  expect([one.status, two.status]).toEqual(['rejected', 'rejected'])
  expect(await kept()).toEqual([])
})

test('a transaction of one statement is committed with it, in front of others and behind them', async () => {
  const { one, two } = await oneBehindTheOther(alone(1, 2), inserting(3))
  expect(one).toEqual({ status: 'fulfilled', value: 2 })
  expect(two).toMatchObject({ status: 'fulfilled', value: [{ n: 1 }, { n: 2 }] })
  await oneBehindTheOther(inserting(4), alone(5))
  expect(await kept()).toEqual([1, 2, 3, 4, 5])
})

test('one that fails costs no connection', async () => {
  const pid = async (tx: Tx) => (await tx.query(statement('pid', 'select pg_backend_pid() as pid')))[0]
  const { one, two } = await oneBehindTheOther(alone(100), pid)
  expect(one).toMatchObject({ status: 'rejected', reason: { code: '23514' } })
  expect(two).toEqual({ status: 'fulfilled', value: await chain.transaction(pid, () => {}) })
})

test('what has sent something is not alone any more', async () => {
  const both = async (tx: Tx) => {
    await tx.execute(INSERT, [1])
    return tx.alone(INSERT_SOME, [[2]])
  }
  await expect(chain.transaction(both, () => {})).rejects.toThrow('not alone')
  expect(await kept()).toEqual([])
})

test('what has been sent alone stays so', async () => {
  for (const another of [(tx: Tx) => tx.execute(INSERT, [2]), alone(2)]) {
    const both = async (tx: Tx) => {
      await alone(1)(tx)
      return another(tx)
    }
    await expect(chain.transaction(both, () => {})).rejects.toThrow(/has its last statement|not alone/)
    expect(await kept()).toEqual([1])
    await sql.query('truncate kept')
  }
})

test.each(['serializable', 'repeatable read'])('isolation is what it should be where %s is usual', async (usual) => {
  const name = new URL(database.url).pathname.slice(1)
  await sql.query(`alter database "${name}" set default_transaction_isolation = '${usual}'`)
  const fresh = await openDb({ kind: 'postgres', url: database.url })
  await sql.query('create table levels (level text)')
  const note = statement('note', "insert into levels values (current_setting('transaction_isolation'))")
  const noteAlone = (tx: Tx) => tx.alone(note, [])
  await fresh.openChain().transaction(noteAlone, () => {})
  await fresh.transaction((tx) => tx.execute(note, []))
  const { rows } = await sql.query('select level from levels')
  expect(rows).toEqual([{ level: 'read committed' }, { level: 'read committed' }])
  await sql.query(`drop table levels; alter database "${name}" reset default_transaction_isolation`)
  await fresh.close()
})

test('a transaction that sends nothing is none', async () => {
  const nothing = async (tx: Tx) => tx.finish(async () => 'nothing')
  expect(await chain.transaction(nothing, () => {})).toBe('nothing')
  const undecided = async () => {
    throw new Error('on second thoughts')
  }
  await expect(chain.transaction(undecided, () => {})).rejects.toThrow('on second thoughts')
  await chain.transaction(inserting(1), () => {})
  expect(await kept()).toEqual([1])
})

test('two that fail one behind the other leave nothing, and the chain goes on', async () => {
  const { one, two } = await oneBehindTheOther(inserting(1, 100), inserting(2, 101))
  expect([one.status, two.status]).toEqual(['rejected', 'rejected'])
  await chain.transaction(inserting(4), () => {})
  expect(await kept()).toEqual([4])
})

test('one that fails before its last statements is undone before the next one begins', async () => {
  const failing = async (tx: Tx) => {
    await tx.execute(INSERT, [1])
    throw new Error('on second thoughts')
  }
  const [one, two] = await Promise.allSettled([
    chain.transaction(failing, () => {}),
    chain.transaction(inserting(2), () => {}),
  ])
  expect(one).toMatchObject({ status: 'rejected', reason: { message: 'on second thoughts' } })
  expect(two).toEqual({ status: 'fulfilled', value: [] })
  expect(await kept()).toEqual([2])
})

async function cutWhenAsleep(pid: number | undefined): Promise<void> {
  const asleep = "select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'"
  while ((await sql.query(asleep, [pid])).rowCount === 0) await sleep(5)
  await sql.query('select pg_terminate_backend($1)', [pid])
}

test('a connection that is cut fails what is on it, whole, and the next one has a new connection', async () => {
  const first = async (tx: Tx) => {
    const [row] = await tx.query<{ pid: number }>(statement('pid', 'select pg_backend_pid() as pid'))
    void cutWhenAsleep(row?.pid)
    await tx.execute(INSERT, [1])
    await tx.query(statement('asleep', 'select pg_sleep(60)')) // it is cut long before
    return inserting(2)(tx)
  }
  const outcomes = await Promise.allSettled([
    chain.transaction(first, () => {}),
    chain.transaction(inserting(3), () => {}),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(await kept()).toEqual([3])
})

test.each([
  ['the COMMIT', inserting(1)],
  ['the only statement', alone(1)],
])('the next one is sent before %s is answered: a cut takes both, and nothing of either is kept', async (_, first) => {
  await sql.query('begin')
  await sql.query('lock table kept in exclusive mode') // the first INSERT waits, with COMMIT and the next one behind it
  const pid = async () => {
    await sql.query('select pg_stat_clear_snapshot()') // else a transaction sees the same activity to its end
    const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    return (await sql.query(waiting)).rows[0]?.pid
  }
  const both = oneBehindTheOther(first, inserting(2, 3))
  while ((await pid()) === undefined) await sleep(5)
  await sql.query('select pg_terminate_backend($1)', [await pid()])
  const { one, two } = await both
  await sql.query('commit')
  expect([one.status, two.status]).toEqual(['rejected', 'rejected'])
  expect(await kept()).toEqual([])
  await chain.transaction(inserting(4), () => {})
  expect(await kept()).toEqual([4])
})

test('many at once are taken in order', async () => {
  const order: number[] = []
  const one = (n: number) => {
    const work = (tx: Tx) => {
      order.push(n)
      return inserting(n)(tx)
    }
    return chain.transaction(work, () => {})
  }
  await Promise.all(Array.from({ length: 50 }, (_, n) => one(n)))
  expect(order).toEqual(Array.from({ length: 50 }, (_, n) => n))
  expect(await kept()).toEqual(order)
})
