/**
 * An archive run that is killed at any moment neither loses nor duplicates a transfer, and the next
 * run completes the work (O-13).
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { seedDatabase } from '../../../../bench/lists/seed.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { readArchive } from '../../src/wallet/archive/archive-file.ts'
import { runWalletAudit } from '../../src/wallet/operator-api/audit/wallet-audit.ts'
import { run } from '../cli/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'
import { DAY_MS, findingsInFiles, newFolder } from './archive-fixtures.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
/**
 * One bet in fifty is open. Open bets belong to every player and keep some bets in the database.
 */
const [BETS, PLAYERS] = [3_000, 201]
const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)

const random = seededRandom('killed archive')
const folder = newFolder()
let database: TestDatabase
let sql: pg.Client

beforeAll(async () => {
  database = await createDatabase()
  await seedDatabase(database.url, { bets: BETS, players: PLAYERS, day: day(20) })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await sql?.end()
  await database?.drop()
})

const command = () => ['archive', '--before', day(10), '--to', folder.path]

interface TransferRow {
  player: string
  currency: string
  version: string
  kind: string
  amount: string
  balance: string
  bet: string | null
  request: string | null
  at: string
}

const keyOf = (row: TransferRow) => JSON.stringify([row.player, row.currency, row.version])
const textOf = ({ kind, amount, balance, bet, request, at }: TransferRow) =>
  JSON.stringify([kind, amount, balance, bet, request, at])

async function inDatabase(): Promise<TransferRow[]> {
  const { rows } = await sql.query<TransferRow>(
    `select player, currency, version::text as version, kind, amount::text as amount, balance_after::text as balance, bet_id as bet,
       request_id as request, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from purser.transfer`,
  )
  return rows
}

/** The transfers that the database records as archived, read from their files. */
async function inFiles(): Promise<TransferRow[]> {
  const { rows } = await sql.query<{ player: string; currency: string; file: string; place: number }>(
    'select player, currency, file, place from purser.carried_balance',
  )
  const files = new Map<string, Awaited<ReturnType<typeof readArchive>>>()
  for (const { file } of rows) if (!files.has(file)) files.set(file, await readArchive(folder.path, file))
  return rows.flatMap(({ player, currency, file, place }) =>
    (files.get(file)?.accounts[place - 1]?.transfers ?? []).map(
      ({ bet = null, request = null, version, kind, amount, balance, at }) => ({
        ...{ player, currency, version, kind, amount, balance, at, bet, request },
      }),
    ),
  )
}

async function countOf(query: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(`select (${query})::int as count`)
  return rows[0]?.count ?? 0
}

const TABLES = ['archive', 'carried_balance', 'bet', 'archived_sum', 'transfer', 'bet_details']
/**
 * Locks at which a waiting run is killed: its tables in the order of its writes, and players in
 * between.
 */
async function moments(): Promise<string[]> {
  const places = [1, 2, 3].map((part) => Math.trunc((part * PLAYERS) / 4 + random.below(PLAYERS / 4)))
  const { rows } = await sql.query<{ bucket: number; player: string }>(
    'select bucket, player from purser.account order by player',
  )
  const players = places.map((place) => rows[place])
  return [
    ...TABLES.map((table) => `lock table purser.${table} in exclusive mode`),
    ...players.map(
      (one) => `select from purser.player where bucket = ${one?.bucket} and player = '${one?.player}' for update`,
    ),
  ]
}

// On Citus a run waits on a worker, and a process of Citus exists as long as the database.
const IN_DATABASE = "datname = current_database() and backend_type = 'client backend'"
const WAITING =
  inject('citusWorkers') === undefined
    ? `select count(*) from pg_stat_activity where ${IN_DATABASE} and wait_event_type = 'Lock'`
    : 'select count(*) from citus_lock_waits'
const OTHERS = `select count(*) from pg_stat_activity where ${IN_DATABASE} and pid <> pg_backend_pid() and application_name not like 'citus%'`

/** Kills a run that waits for the locks of `hold`. */
async function killAt(hold: string): Promise<void> {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  await holder.query('begin')
  await holder.query(hold)
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url }
  const child = spawn(process.execPath, [MAIN, ...command()], { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  while ((await countOf(WAITING)) === 0)
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} and did not wait: ${hold}`)
  child.kill('SIGKILL')
  await ended
  await holder.query('rollback')
  await holder.end()
  while ((await countOf(OTHERS)) > 0); // the statements of the killed run have ended
}

test('after each kill each transfer is either in the database or in a file that it names, exactly once', {
  timeout: 300_000, // a process for each moment, on a busy machine
}, async () => {
  const all = new Map((await inDatabase()).map((row) => [keyOf(row), textOf(row)]))
  const expectAll = async () => {
    const rows = [...(await inDatabase()), ...(await inFiles())]
    const different = rows.filter((row) => all.get(keyOf(row)) !== textOf(row))
    expect([rows.length, new Set(rows.map(keyOf)).size, different.length]).toEqual([all.size, all.size, 0])
    expect(await findingsInFiles({ databaseUrl: database.url }, folder.path)).toEqual([])
  }
  for (const moment of await moments()) {
    await killAt(moment)
    await expectAll()
  }
  const { rows } = await sql.query<{ value: string }>("select value from purser.setting where name = 'database'")
  const [partial, foreign] = [rows[0]?.value, randomUUID()].map((id) => `purser-archive-${id}-${randomUUID()}.partial`)
  for (const name of [partial, foreign])
    writeFileSync(join(folder.path, `${name}`), 'what a run wrote that was ended while it wrote')
  const { code, stdout, stderr } = await run([...command(), '--json'], { DATABASE_URL: database.url })
  expect([code, stderr.includes('Error')]).toEqual([0, false])
  const left = readdirSync(folder.path).filter((name) => name.endsWith('.partial'))
  expect(left, 'of another database, which may be at work').toEqual([foreign])
  const { heldBack, changed, broken, isWhole } = JSON.parse(stdout)
  expect([changed, broken, isWhole]).toEqual([0, 0, true])
  await expectAll()
  const held = await countOf('select count(distinct player) from purser.transfer')
  expect([heldBack, held]).toEqual([held, expect.any(Number)])
  expect(held).toBeGreaterThan(0)
  expect(
    await countOf("select count(*) from purser.bet where status = 'open' and archived_to_player is not null"),
  ).toBe(0)
  const db = await openDb({ kind: 'postgres', url: database.url })
  const { findings } = await runWalletAudit(db, { clawback: 'refuse' }).finally(() => db.close())
  expect(findings).toEqual([])
})

test('another run has nothing left to archive', async () => {
  const { stdout } = await run([...command(), '--json'], { DATABASE_URL: database.url })
  expect(JSON.parse(stdout)).toMatchObject({ files: 0, transfers: 0 })
})
