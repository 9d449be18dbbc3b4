/**
 * At its highest rate, the output of the sandbox matches its database. A missed rate is reported.
 */
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { statement } from '../../src/core/database/db.ts'
import { newFolder } from '../cli/command.ts'
import { createDatabase } from '../support/database.ts'
import { BET_LINE, SANDBOX_MS, type Sandbox, startSandbox } from '../support/sandbox-process.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const RATE = 200
/** Seconds of bets, and the seconds of one report about the rate. */
const [DURATION, PACE] = [20, 10]
/** Seconds of one row of the table. */
const ROW = 5
const HEAD = /^time +bets\/s +accept +decline +rolled/m
/** A row, with its accepted bets. */
const ROWS = /^\d\d:\d\d:\d\d +[\d.]+ +(\d+) +\d+ +\d+ +\d+ +\d+ +\d+ +\d+ +\d+$/gm

const HELD = `select count(*)::int as bets, count(*) filter (where status in ('accepted', 'settled'))::int as accepted,
  count(*) filter (where status = 'declined')::int as declined, count(*) filter (where status = 'cancelled')::int as cancelled,
  count(*) filter (where status = 'settled')::int as settled from platform.bet`

interface DatabaseCounts extends Record<string, unknown> {
  bets: number
  accepted: number
  declined: number
  cancelled: number
  settled: number
}

const rateOf = (rate: number, ...more: string[]) => ['sandbox', '--rate', String(rate), '--seed', '1', ...more]
/**
 * A correction must find enough money, because an owed amount is a difference but no error of the
 * output.
 */
const NO_DEBTS = { PURSER_CLAWBACK: 'allow-negative' }
const BUSY = rateOf(RATE, '--duration', String(DURATION), '--faults', '0.01')

test(
  'each row of the sandbox on Postgres has the database counts of two rows before, and the last counters match the database',
  async () => {
    const database = await createDatabase()
    closers.push(() => database.drop())
    const client = new pg.Client(database.url)
    await client.connect()
    closers.push(() => client.end())
    const held = async () => (await client.query<DatabaseCounts>(HELD)).rows[0] as DatabaseCounts
    const sandbox = startSandbox(BUSY, { DATABASE_URL: database.url, ...NO_DEBTS })
    const rows = await compareRows(sandbox, async () => (await held()).accepted)
    expect(await sandbox.ended).toEqual({ code: 0, stderr: '' })
    expect(rows, 'rows that were compared').toBeGreaterThanOrEqual(DURATION / ROW / 2)
    expectItAll(sandbox.output(), await held())
  },
  SANDBOX_MS,
)

test(
  'the last counters of the sandbox on the embedded database match it, and a rate that was missed is printed',
  async () => {
    const folder = newFolder()
    closers.push(() => folder.remove())
    const sandbox = startSandbox(BUSY, { PURSER_DATA_DIR: folder.path, ...NO_DEBTS })
    expect(await sandbox.ended).toEqual({ code: 0, stderr: '' })
    const db = await openDb({ kind: 'pglite', dataDir: folder.path })
    closers.push(() => db.close())
    const [held] = await db.query<DatabaseCounts>(statement('test_held', HELD))
    expectItAll(sandbox.output(), held as DatabaseCounts)
  },
  SANDBOX_MS,
)

test(
  'the sandbox prints lines for each bet, and no table, at a rate that can be read',
  async () => {
    const sandbox = startSandbox(rateOf(4), { PURSER_DATA_DIR: 'memory://' })
    await sandbox.until(new RegExp(BET_LINE.source, 'm'))
    sandbox.child.kill('SIGINT')
    expect(await sandbox.ended).toEqual({ code: 0, stderr: '' })
    expect(sandbox.output()).not.toMatch(HEAD)
  },
  SANDBOX_MS,
)

/**
 * Compares each new row with the database. It counts only existing bets, and at least the bets at
 * the time of two rows before; the last row may have been in progress. Resolves to the number of
 * rows.
 */
async function compareRows(sandbox: Sandbox, count: () => Promise<number>): Promise<number> {
  const rowsSoFar = () => [...sandbox.output().matchAll(ROWS)].map(([, accepted]) => Number(accepted))
  const counted: { rows: number; bets: number }[] = []
  let compared = 0
  let isOver = false
  void sandbox.ended.then(() => {
    isOver = true
  })
  while (!isOver) {
    const rows = rowsSoFar()
    if (rows.length > compared) {
      compared = rows.length
      const expectedTotal = rows.reduce((sum, accepted) => sum + accepted, 0)
      const bets = await count()
      expect(expectedTotal, `row ${compared}`).toBeLessThanOrEqual(bets)
      const before = counted.findLast((one) => one.rows <= compared - 2)
      expect(expectedTotal, `row ${compared}`).toBeGreaterThanOrEqual(before?.bets ?? 0)
      counted.push({ rows: rowsSoFar().length, bets })
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return compared
}

function expectItAll(output: string, held: DatabaseCounts): void {
  const lines = output.split('\n')
  expect(output).toMatch(HEAD)
  expect(
    lines.filter((line) => BET_LINE.test(line)),
    'lines of bets',
  ).toEqual([])
  const text = output.replaceAll('\n', ' ')
  const end = [...text.matchAll(/(\d+) bets: (\d+) accepted, (\d+) declined, (\d+) rolled back/g)].at(-1)?.slice(1)
  expect(end?.map(Number)).toEqual([held.bets, held.accepted, held.declined, held.cancelled])
  const results = /results: (\d+) won, (\d+) lost, (\d+) void, (\d+) cashed out/.exec(text)?.slice(1) ?? []
  const withdrawn = Number(/(\d+) result withdrawn/.exec(text)?.[1] ?? 0)
  expect(
    results.reduce((sum, one) => sum + Number(one), -withdrawn),
    'results',
  ).toBe(held.settled)
  expect(text).toMatch(new RegExp(`reconcile: no differences; ${held.bets} bets of partner`))
  expectPace(text, held.bets)
}

/** The reported rates, and the requested rate elsewhere, sum up to the number of bets. */
function expectPace(text: string, bets: number): void {
  const said = [...text.matchAll(/cannot be reached: ([\d.]+) a second in the last (\d+) s/g)].map(([, rate]) =>
    Number(rate),
  )
  const kept = DURATION / PACE - said.length
  const expectedTotal = Math.floor(said.reduce((sum, rate) => sum + rate * PACE, kept * RATE * PACE) + 0.5)
  expect(bets).toBeGreaterThanOrEqual(expectedTotal)
  expect(bets, 'a tenth of a bet a second is not told').toBeLessThanOrEqual(expectedTotal + said.length)
}
