/**
 * The daily report shows the money movements of a day. They agree with the balances, and an ended
 * day no longer changes.
 */
import { randomUUID } from 'node:crypto'
import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement } from '../../src/core/database/db.ts'
import { closeDays, DAY_MS } from '../../src/wallet/ledger/daily-sums.ts'
import { createDailyReport } from '../../src/wallet/operator-api/reports/daily-report.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { expectProblem, rowsOf } from './answers.ts'

const HOUR_MS = 3_600_000
/** More than a test takes on a busy machine, because the clock continues meanwhile. */
const A_MOMENT_MS = 300_000
const LAST_KEPT = statement('last_kept', 'select max(day) >= now()::date as ahead from purser.daily_close')
const MANY_BRANDS = statement(
  'many_brands',
  `insert into purser.daily_sum (day, currency, brand, kind, debit, credit, platform, site, transfers, amount)
   select '2001-01-01', 'EUR', 'brand-' || i, 'deposit', 'cash_in', 'player', '', '', 1, 1 from generate_series(1, 50) i`,
)
const NO_BRANDS = statement('no_brands', "delete from purser.daily_sum where day = '2001-01-01'")
let wallet: TestWallet
let db: Db

beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_FREEBET_STAKE: 'promotions', PURSER_BUCKETS: '2' } })
  wallet.clock.advance(-100 * DAY_MS) // the database's clock also decides if a day has ended
  db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await db.close()
  await wallet.stop()
})

const ask = (query: string) => wallet.operator.request('GET', `/operator/reports/daily?${query}`)
const rows = async (query: string) => {
  const { status, body } = await ask(query)
  expect(status).toBe(200)
  return rowsOf(body, 'data')
}
const dayOf = (time: Date) => time.toISOString().slice(0, 10)
const today = () => dayOf(wallet.clock.now())
const keep = () => closeDays(db, wallet.clock.now())

/** Noon of a day without transfers; the day before is closed. */
async function newDay(): Promise<void> {
  const now = wallet.clock.now().getTime()
  wallet.clock.advance((Math.floor(now / DAY_MS) + 1.5) * DAY_MS - now)
  await keep()
}

/** One transfer of each kind. */
async function aDayOfMoney(over: object = {}): Promise<string> {
  const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR', { ...over })
  const place = async (amount: number, members: object = {}) => {
    const transactionId = randomUUID()
    const placed = await wallet.wire.place({ userId, token, transactionId, amount, ...members })
    expect(placed.status).toBe(200)
    return { userId, transactionId, amount }
  }
  const won = await place(10)
  await wallet.wire.settle({ ...won, amount: 25 })
  await wallet.wire.settle({ ...won, amount: 5 })
  await place(3) // stays open
  await wallet.wire.rollback(await place(7))
  const free = await place(4, { bonusId: 1, bonusTemplateId: 1, bonusAmount: 4 })
  await wallet.wire.settle({ ...free, amount: 9 })
  await move(userId, 'withdrawals', { amount: '20.00' })
  await move(userId, 'adjustments', { amount: '-1.50', reason: 'counted twice', person: 'maria' })
  return userId
}

async function move(userId: string, what: string, body: object): Promise<void> {
  const sent = { currency: 'EUR', reference: randomUUID(), ...body }
  expect((await wallet.operator.request('POST', `/operator/players/${userId}/${what}`, sent)).status).toBe(201)
}

const numberOf = (row: JsonObject | undefined, member: string) => Number(row?.[member])

/** The sum of a row's columns, in cents. */
function resultOf(row: JsonObject | undefined): number {
  const cents = (...members: string[]) => members.reduce((sum, name) => sum + Math.round(numberOf(row, name) * 100), 0)
  const paid = cents(
    'refunds',
    'payouts',
    'resettlements',
    'promotionRefunds',
    'promotionPayouts',
    'promotionResettlements',
  )
  return cents('stakes', 'promotionStakes', 'openStakesChange') - paid
}
function accountOf(row: JsonObject | undefined, name: string): JsonObject {
  return (row?.accounts as unknown as Record<string, JsonObject> | undefined)?.[name] ?? {}
}

describe('a day of the daily report', () => {
  test('has what came in, what went out, and the gain of each account, and all of it sums to zero', async () => {
    await newDay()
    await aDayOfMoney({ brand: 'whole-day' })
    const [row, ...others] = await rows(`from=${today()}&brand=whole-day`)
    expect(others).toEqual([])
    expect(row).toMatchObject({
      day: today(),
      currency: 'EUR',
      brand: 'whole-day',
      final: false,
      transfers: 14,
      deposits: '100.00',
      withdrawals: '20.00',
      stakes: '20.00',
      refunds: '7.00',
      payouts: expect.any(String),
      resettlements: '-25.00',
      adjustments: '-1.50',
      promotionStakes: '4.00',
      promotionRefunds: '0.00',
      sum: '0.00',
    })
    expect(numberOf(row, 'payouts') + numberOf(row, 'promotionPayouts')).toBe(25 + 5 + 9)
    expect(numberOf(row, 'ggr')).toBe(10 + 4 - 5 - 9)
    expect(accountOf(row, 'open_stakes')).toEqual({ opening: '0.00', closing: '3.00' })
  })

  test('has a result that its columns add up to, with bets that stay open, and when they are decided', async () => {
    await newDay()
    const from = today()
    await aDayOfMoney({ brand: 'adds-up' })
    const { userId, token } = await playerWithMoney(wallet.operator, '50.00', 'EUR', { brand: 'adds-up' })
    const late = { userId, transactionId: randomUUID(), amount: 40 }
    expect((await wallet.wire.place({ ...late, token })).status).toBe(200)
    await newDay()
    await wallet.wire.settle({ ...late, amount: 12 })
    const [first, second] = await rows(`from=${from}&to=${today()}&brand=adds-up`)
    expect([first?.openStakesChange, second?.openStakesChange]).toEqual(['-43.00', '40.00'])
    expect([resultOf(first), resultOf(second)]).toEqual([0, 2_800])
    expect([first?.ggr, second?.ggr]).toEqual(['0.00', '28.00'])
  })

  test('ends with the balances of the players', async () => {
    await newDay()
    const userId = await aDayOfMoney({ brand: 'balances' })
    const [row] = await rows(`from=${today()}&brand=balances`)
    expect(accountOf(row, 'player')).toEqual({ opening: '0.00', closing: await wallet.operator.balance(userId) })
  })

  test('begins as the day before ended, with and without transfers', async () => {
    await newDay()
    const userId = await aDayOfMoney({ brand: 'in-turn' })
    const first = today()
    await newDay()
    await newDay()
    await wallet.operator.deposit(userId, '2.50')
    const [one, two, three] = await rows(`from=${first}&to=${today()}&brand=in-turn`)
    expect([one, two, three].map((row) => row?.transfers)).toEqual([14, 0, 1])
    expect(accountOf(two, 'player').opening).toEqual(accountOf(one, 'player').closing)
    expect(accountOf(two, 'player').closing).toEqual(accountOf(one, 'player').closing)
    expect(accountOf(three, 'player').opening).toEqual(accountOf(two, 'player').closing)
    expect(three).toMatchObject({ deposits: '2.50', stakes: '0.00', ggr: '0.00', sum: '0.00' })
  })

  test('is final an hour after its end, with the same figures', async () => {
    await newDay()
    await aDayOfMoney()
    const day = today()
    const now = wallet.clock.now().getTime()
    const midnight = (Math.floor(now / DAY_MS) + 1) * DAY_MS
    wallet.clock.advance(midnight + HOUR_MS - A_MOMENT_MS - now)
    expect(await keep()).toBe(0)
    const before = await rows(`from=${day}`)
    wallet.clock.advance(A_MOMENT_MS)
    expect((await Promise.all([keep(), keep()])).every((days) => days <= 1)).toBe(true)
    expect(await keep()).toBe(0)
    const after = await rows(`from=${day}`)
    expect(before.map(({ final }) => final)).toEqual(before.map(() => false))
    expect(after).toEqual(before.map((row) => ({ ...row, final: true })))
    await aDayOfMoney()
    expect(await rows(`from=${day}`)).toEqual(after)
  })
})

test('the daily report has one currency, one brand, or all of them in order', async () => {
  await newDay()
  for (const brand of ['south', 'north']) await aDayOfMoney({ brand })
  await playerWithMoney(wallet.operator, '5.00', 'USD', { brand: 'north' })
  const names = async (query: string) =>
    (await rows(`from=${today()}${query}`))
      .filter(({ transfers }) => transfers !== 0)
      .map(({ currency, brand }) => `${currency} ${brand}`)
  expect(await names('')).toEqual(['EUR north', 'EUR south', 'USD north'])
  expect(await names('&currency=USD')).toEqual(['USD north'])
  expect(await names('&brand=north')).toEqual(['EUR north', 'USD north'])
})

test('the daily report without a day is that of yesterday', async () => {
  await newDay()
  await aDayOfMoney()
  const day = today()
  await newDay()
  expect(new Set((await rows('')).map((row) => row.day))).toEqual(new Set([day]))
})

test('the daily report is available as a table for spreadsheets', async () => {
  await newDay()
  await aDayOfMoney({ brand: 'sheet' })
  const headers = { authorization: `Bearer ${wallet.operatorKey}`, accept: 'text/csv' }
  const reply = await request(`${wallet.url}/operator/reports/daily?from=${today()}&brand=sheet`, { headers })
  expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8')
  const [head, line, ...rest] = (await reply.body.text()).split('\r\n')
  expect(rest).toEqual([''])
  const cells = line?.split(',') ?? []
  const table = Object.fromEntries((head ?? '').split(',').map((name, i) => [name, cells[i]]))
  expect(table).toMatchObject({ day: today(), currency: 'EUR', brand: 'sheet', deposits: '100.00', sum: '0.00' })
  expect(table).toMatchObject({ open_stakes_closing: '3.00', resettlements: '-25.00' })
  expect(table).toMatchObject({ openStakesChange: '-3.00', ggr: '0.00' })
})

test.each([
  ['from=2026-02-30', '/query/from'],
  ['from=yesterday', '/query/from'],
  ['from=9000-01-01', '/query/from'],
  ['from=2026-05-02&to=2026-05-01', '/query/to'],
  ['from=2001-01-01&to=2026-05-01', '/query/to'],
  ['brand=%3D1', '/query/brand'],
  ['by=brand,player', '/query/by'],
])('the daily report refuses %s', async (query, pointer) => {
  expectProblem(await ask(query), 400, 'invalid_request', [pointer])
})

test('the daily report is answered during an audit, and refused when it has too many rows', async () => {
  let release = () => {}
  const audit = db.snapshot(
    () =>
      new Promise<void>((resolve) => {
        release = resolve
      }),
  )
  const asked = { db, clock: wallet.clock, scales: STANDARD_SCALES }
  const answered = await createDailyReport(asked, { from: today() }).finally(() => release())
  expect(answered.length).toBeGreaterThan(0)
  await audit
  await db.transaction((tx) => tx.execute(MANY_BRANDS, []))
  const [one, many] = ['2001-01-01', '2002-01-01'].map((to) => ask(`from=2001-01-01&to=${to}`))
  expect((await one)?.status).toBe(200)
  expectProblem(await (many as ReturnType<typeof ask>), 400, 'invalid_request', ['/query/by'])
  expect((await ask('from=2001-01-01&to=2002-01-01&by=currency')).status).toBe(200)
  await db.transaction((tx) => tx.execute(NO_BRANDS, []))
})

// This test is the last one, because it closes every day up to now.
test('the daily report closes a day by the database’s clock too, so that one which has not ended there stays open', async () => {
  await newDay()
  const before = dayOf(wallet.clock.now())
  await aDayOfMoney({ brand: 'ahead' })
  const far = new Date(Date.now() + 30 * DAY_MS)
  await closeDays(db, far)
  const [row] = await rows(`from=${before}&brand=ahead`)
  expect(row).toMatchObject({ final: true })
  const kept = await db.query<{ ahead: boolean }>(LAST_KEPT)
  expect(kept).toEqual([{ ahead: false }])
})
