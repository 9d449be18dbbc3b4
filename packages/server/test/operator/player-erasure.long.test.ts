/**
 * The erasure of a player changes nothing before it is permitted, and continues after an
 * interruption. A repeated erasure removes data that arrived later (O-10).
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCommandActor } from '../../src/core/auth/audit-log/audit-log.ts'
import { pseudonymizeEvents } from '../../src/core/call-journal/feed-erasure.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { erasePlayer } from '../../src/wallet/operator-api/players/player-erasure.ts'
import { bucketOf } from '../../src/wallet/store/bucket.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/wallet-changes.ts'
import { run } from '../cli/command.ts'
import { asServer } from '../support/database.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered } from '../wallet/answers.ts'
import { rowsOf } from './answers.ts'

let wallet: TestWallet
let sql: pg.Client
beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_BUCKETS: '2' } })
  sql = await connect()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await sql.end()
  await wallet.stop()
})

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: wallet.databaseUrl })
  await client.connect()
  return client
}

/** A player with a lost bet and no money, whose erasure is permitted. */
async function playerWithHistory(userId: string) {
  const { operator, wire } = wallet
  await operator.createPlayer({ userId })
  const move = (what: string, amount: string) =>
    operator.request('POST', `/operator/players/${userId}/${what}`, {
      ...{ currency: 'EUR', reference: randomUUID(), amount },
    })
  await move('deposits', '10.00')
  const bet = { userId, transactionId: randomUUID(), amount: 10, token: await operator.session(userId) }
  expect(answered(await wire.place(bet))).toBe(200)
  const result = { userId, transactionId: bet.transactionId, amount: 0, resultType: 'lost' }
  expect(answered(await wire.settle(result))).toBe(200)
  await expect.poll(() => callsOf(userId)).toBe(2)
  return result
}

async function callsOf(userId: string): Promise<number> {
  return rowsOf((await wallet.operator.request('GET', `/operator/calls?player=${userId}`)).body, 'data').length
}

const erase = (userId: string, url = wallet.databaseUrl) =>
  run(['erase-player', userId, '--apply', '--person', 'maria'], { DATABASE_URL: url })

async function feed(): Promise<string[]> {
  const { rows } = await sql.query<{ events: string }>('select events::text from purser.change order by change_id')
  return rows.map(({ events }) => events)
}

async function placesOf(name: string): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'purser' and tablename not like 'journal%'",
  )
  const found: string[] = []
  for (const { name: table } of rows) {
    const { rowCount } = await sql.query(`select from purser.${table} t where strpos(t::text, $1) > 0 limit 1`, [name])
    if (rowCount) found.push(table)
  }
  return found
}

/** Runs `work` while a change of this table fails. */
async function whileFails<T>(change: string, work: () => Promise<T>): Promise<T> {
  await sql.query(
    `create function purser.fails() returns trigger language plpgsql as $$begin raise exception 'out of order'; end$$`,
  )
  await sql.query(`create trigger fails before ${change} for each row execute function purser.fails()`)
  return work().finally(() => sql.query('drop function purser.fails cascade'))
}

const nameIn = (stdout: string) => /is (erased-[0-9a-f]{24}) now/.exec(stdout)?.[1] ?? 'no pseudonym'

test('an erasure by the role of a server, which may erase nothing, changes nothing', async () => {
  await playerWithHistory('role-player')
  const before = await feed()
  const { code, stderr } = await erase('role-player', asServer('wallet', wallet.databaseUrl))
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot erase data')])
  expect(await feed()).toEqual(before)
  expect(await callsOf('role-player')).toBe(2)
})

test('an erasure whose pseudonym cannot be written has changed neither feed nor journal', async () => {
  await playerWithHistory('refused-player')
  const before = await feed()
  const { code } = await whileFails('update on purser.player', () => erase('refused-player'))
  expect(code).not.toBe(0)
  expect(await feed()).toEqual(before)
  expect(await callsOf('refused-player')).toBe(2)
})

test.each(['update on purser.change', 'update or delete on purser.journal'])(
  'an erasure that fails at an %s continues under the same pseudonym',
  async (change) => {
    const name = `player-of-${change.slice(-7)}`.replace(/\W/g, '-')
    await playerWithHistory(name)
    const { code } = await whileFails(change, () => erase(name))
    expect(code).not.toBe(0)
    const { rows } = await sql.query("select player from purser.player where player like 'erased-%'")
    const { code: again, stdout } = await erase(name)
    expect(again).toBe(0)
    expect(rows.map(({ player }) => player)).toContain(nameIn(stdout))
    expect(await placesOf(name)).toEqual([])
    expect(await callsOf(name)).toBe(0)
    const { body } = await wallet.operator.request('GET', `/operator/actions?player=${nameIn(stdout)}`)
    expect(rowsOf(body, 'data')[0]).toMatchObject({ operation: 'erasePlayer', after: { erased: true } })
    expect(await erase(name)).toMatchObject({ code: 0, stdout: expect.stringContaining('is not a player here') })
  },
)

test('an erasure finds feed rows without a number while another process assigns numbers', async () => {
  await playerWithHistory('number-player')
  const [numbering, db] = [await connect(), await openDb({ kind: 'postgres', url: wallet.databaseUrl })]
  await numbering.query('begin')
  await numbering.query('select from purser.feed_counter for update')
  const bucket = bucketOf('number-player', 2)
  const found = pseudonymizeEvents(db, WALLET_CHANGES, bucket, 'number-player', (item) => item)
  const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await expect.poll(async () => (await sql.query(waits)).rowCount).toBe(1)
  await numbering.query('commit')
  expect(await found).toBeGreaterThan(3)
  await Promise.all([numbering.end(), db.close()])
})

test('an erasure that is repeated also removes the player id of a late result', async () => {
  const result = await playerWithHistory('late-player')
  const { transactionId } = result
  expect((await erase('late-player')).code).toBe(0)
  expect(answered(await wallet.wire.settle({ ...result, amount: 50, resultType: 'won' }))).toBe(5)
  expect(answered(await wallet.wire.rollback({ userId: 'late-player', transactionId: randomUUID() }))).toBe(200)
  expect((await placesOf('late-player')).sort()).toEqual(['bet', 'bet_call', 'change'])
  await expect.poll(() => callsOf('late-player')).toBe(2)
  expect((await erase('late-player')).stdout).toContain('late-player is not a player here; 2 calls')
  expect(await placesOf('late-player')).toEqual([])
  const { body } = await wallet.operator.request('GET', `/operator/bets?transactionId=${transactionId}`)
  expect(rowsOf(body, 'data').map(({ status }) => status)).toEqual(['unknown', 'settled'])
  expect(JSON.stringify(body)).not.toContain('late-player')
})

type LateWrite = (tx: Parameters<Parameters<Db['longTransaction']>[0]>[0]) => Promise<void>

/**
 * Runs the erasure in this process. `behind` runs at the end of each of its transactions, and
 * `between` after each commit.
 */
async function eraseHere(userId: string, behind: LateWrite, between = async () => {}) {
  const owner = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  const longTransaction: Db['longTransaction'] = async (work) => {
    const done = await owner.longTransaction(async (tx) => {
      const done = await work(tx)
      await behind(tx)
      return done
    })
    await between()
    return done
  }
  const author = createCommandActor('purser', 'purser erase-player', 'erasePlayer', { person: 'maria' })
  const deps = { db: { ...owner, longTransaction }, buckets: 2, now: wallet.clock.now() }
  return erasePlayer(deps, author, userId).finally(() => owner.close())
}

const BOUNDS = {
  name: 'test_bounds',
  text: `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle,
    pg_catalog.pg_current_xact_id_if_assigned() is not null as writes`,
}

test('the transactions of an erasure release their locks when its process freezes, and those that write have a time limit', async () => {
  await playerWithHistory('bounded')
  const bounds: { statement: string; idle: string; writes: boolean }[] = []
  await eraseHere('bounded', async (tx) => void bounds.push(...(await tx.query<(typeof bounds)[number]>(BOUNDS))))
  expect(new Set(bounds.map(({ idle }) => idle))).toEqual(new Set(['5s']))
  expect(bounds.filter(({ writes, statement }) => writes && statement === '0')).toEqual([])
  expect(bounds.some(({ writes }) => writes)).toBe(true)
})

const IDLE = "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'"

test('an erasure that freezes while it locks the player has changed nothing, and blocks no call', async () => {
  await playerWithHistory('frozen')
  const frozen = eraseHere('frozen', async () => {
    // the server's time limit ends it, not this test
    await expect.poll(async () => (await sql.query(IDLE)).rowCount, { timeout: 60_000 }).toBe(0)
  })
  await expect(frozen).rejects.toThrow()
  expect((await wallet.operator.request('GET', '/operator/players/frozen')).status).toBe(200)
  await wallet.operator.deposit('frozen', '1.00')
})

async function importOf(userId: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-erasure-'))
  const file = join(folder, 'players.csv')
  writeFileSync(file, `userId,currency\n${userId},EUR\n`)
  const { stdout, stderr } = await run(['import', file], { DATABASE_URL: wallet.databaseUrl })
  rmSync(folder, { recursive: true })
  return stdout + stderr
}

test('the id of a player is not free before all data of the player is erased, and is free then', async () => {
  const userId = 'again'
  await playerWithHistory(userId)
  const { operator, wire } = wallet
  const create = () => operator.request('POST', '/operator/players', { userId, currency: 'EUR' })
  const seen: unknown[] = []
  await eraseHere(
    userId,
    async () => {},
    async () => void seen.push((await create()).body),
  )
  const refusals = seen.slice(0, -1) // the last call found a complete erasure
  expect(refusals.length).toBeGreaterThan(3)
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'being_erased' })
  expect(seen.at(-1)).toMatchObject({ userId })
  const late = { userId, transactionId: randomUUID() }
  expect(answered(await wire.rollback(late))).toBe(200)
  await operator.deposit(userId, '10.00')
  expect(answered(await wire.place({ ...late, amount: 5, token: await operator.session(userId) }))).toBe(8)
})

test('an interrupted erasure is completed for the earlier player before a call or an import can create another one', async () => {
  const userId = 'in-between'
  await playerWithHistory(userId)
  expect((await whileFails('update on purser.change', () => erase(userId))).code).not.toBe(0)
  const { status } = await wallet.operator.request('POST', '/operator/players', { userId, currency: 'EUR' })
  expect(status).toBe(409)
  expect(await importOf(userId)).toContain('are not erased completely')
  expect((await erase(userId)).code).toBe(0)
  expect(await placesOf(userId)).toEqual([])
  expect(await importOf(userId)).not.toContain('erased')
  expect((await wallet.operator.request('GET', `/operator/players/${userId}`)).status).toBe(200)
})

test('an erasure waits for a transaction that is creating a player of this name', async () => {
  const userId = 'just-made'
  const making = await connect()
  await making.query('begin')
  await making.query('select pg_advisory_xact_lock_shared(3, hashtext($1))', [userId])
  const erased = erase(userId)
  const waits = "select from pg_locks where locktype = 'advisory' and not granted"
  await expect.poll(async () => (await sql.query(waits)).rowCount).toBe(1)
  await making.query('commit')
  expect((await erased).stdout).toContain('is not a player here')
  await making.end()
})
