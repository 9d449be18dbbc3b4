/**
 * The account statement of a player shows all transfers in pages, newest first, even while new
 * transfers arrive.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { expectProblem, readAllPages, rowsOf } from './answers.ts'

describe.each(['1', '4'])('the statement with %s buckets', (buckets) => {
  let wallet: TestWallet

  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: buckets } })
  })
  afterAll(() => wallet.stop())

  const read = (userId: string, query: string) =>
    wallet.operator.request('GET', `/operator/players/${userId}/statement?${query}`)
  const idsOf = (rows: JsonObject[]) => rows.map(({ transferId }) => transferId)
  const rows = async (userId: string, query: string) => rowsOf((await read(userId, query)).body, 'data')

  /** Twelve deposits, in EUR and USD by turns, a minute apart, with their times. */
  async function playerWithHistory(): Promise<{ userId: string; times: Date[] }> {
    const { userId } = await wallet.operator.createPlayer()
    const times: Date[] = []
    for (let i = 0; i < 12; i++) {
      wallet.clock.advance(60_000)
      times.push(wallet.clock.now())
      await wallet.operator.deposit(userId, `${i + 1}.00`, i % 2 === 0 ? 'EUR' : 'USD')
    }
    return { userId, times }
  }

  test('has every transfer that changed the balance, with its amount and the balance after it', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00')
    const transactionId = randomUUID()
    await wallet.wire.place({ userId, token, transactionId, amount: 10 })
    await wallet.wire.settle({ userId, transactionId, amount: 25, requestId: 'settle-request-1' })
    await wallet.wire.settle({ userId, transactionId, amount: 5 })
    const shown = (await rows(userId, '')).map(({ kind, amount, balance }) => [kind, amount, balance])
    expect(shown).toEqual([
      ['payout', '5.00', '95.00'],
      ['payout_reversal', '-25.00', '90.00'],
      ['payout', '25.00', '115.00'],
      ['stake', '-10.00', '90.00'],
      ['deposit', '100.00', '100.00'],
    ])
    const [, , payout] = await rows(userId, '')
    expect(payout).toMatchObject({
      currency: 'EUR',
      transactionId,
      requestId: 'settle-request-1',
      at: expect.stringMatching(/Z$/),
    })
    await wallet.auditIsClean()
  })

  test('has the status and the selections of a bet on request', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00')
    const bet = (event: string) => ({ userId, transactionId: randomUUID(), amount: 10, metadata: [{ event }] })
    const [lost, open, undone] = [bet('Arsenal - Chelsea'), bet('Ajax - PSV'), bet('Roma - Lazio')]
    for (const one of [lost, open, undone]) await wallet.wire.place({ ...one, token })
    await wallet.wire.settle({ userId, transactionId: lost.transactionId, amount: 0, resultType: 'lost' })
    await wallet.wire.rollback({ userId, transactionId: undone.transactionId, amount: 10 })
    const said = (await rows(userId, 'bets=true')).map(({ kind, bet }) => [kind, bet])
    const on = (event: string) => ({ selections: [{ event }], selectionCount: 1 })
    expect(said).toEqual([
      ['refund', { status: 'cancelled', ...on('Roma - Lazio') }],
      ['stake', { status: 'cancelled', ...on('Roma - Lazio') }],
      ['stake', { status: 'open', ...on('Ajax - PSV') }],
      ['stake', { status: 'settled', payout: '0.00', resultType: 'lost', ...on('Arsenal - Chelsea') }],
      ['deposit', undefined],
    ])
    expect((await rows(userId, '')).some(({ bet }) => bet !== undefined)).toBe(false)
    await wallet.auditIsClean()
  })

  test('has amounts that lead from each balance to the next', async () => {
    const { userId } = await playerWithHistory()
    for (const currency of ['EUR', 'USD']) {
      const oldestFirst = (await rows(userId, `currency=${currency}`)).reverse()
      const cents = (text: unknown) => BigInt(String(text).replace('.', ''))
      oldestFirst.reduce((before, { amount, balance }) => {
        expect(cents(balance)).toBe(before + cents(amount))
        return cents(balance)
      }, 0n)
    }
  })

  test.each([1, 2, 5, 11, 12, 13])('has every transfer once, newest first, in pages of %i', async (limit) => {
    const { userId } = await playerWithHistory()
    const pages = await readAllPages((query) => read(userId, query), limit)
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
    const amounts = pages.flat().map(({ amount }) => amount)
    expect(amounts).toEqual(Array.from({ length: 12 }, (_, i) => `${12 - i}.00`))
  })

  test('has every transfer once, and all of a range, when two clocks disagreed', async () => {
    const { userId, times } = await playerWithHistory()
    const sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
    // In UTC, whose hours depend on no setting; otherwise Citus refuses the statement.
    await sql.query(
      "update purser.transfer set at = (at at time zone 'UTC' - interval '10 minutes') at time zone 'UTC' where player = $1 and currency = 'EUR' and version in (2, 5)",
      [userId],
    )
    await sql.end()
    const pages = await readAllPages((query) => read(userId, query), 2)
    const amounts = pages.flat().map(({ amount }) => String(amount))
    expect(amounts.sort()).toEqual(Array.from({ length: 12 }, (_, i) => `${i + 1}.00`).sort())
    const early = await rows(userId, `to=${times[0]?.toISOString()}`)
    expect(early.map(({ amount }) => amount).sort()).toEqual(['3.00', '9.00'])
  })

  test('has no gap and no repeat when transfers arrive between pages', async () => {
    const { userId } = await playerWithHistory()
    const known = idsOf(await rows(userId, ''))
    const pages = await readAllPages(
      (query) => read(userId, query),
      5,
      async () => {
        await wallet.operator.deposit(userId, '99.00')
        await wallet.operator.deposit(userId, '99.00', 'USD')
      },
    )
    expect(idsOf(pages.flat())).toEqual(known)
  })

  test('pages through transfers of one instant like others', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator)
    const transactionId = randomUUID()
    await wallet.wire.place({ userId, token, transactionId, amount: 1 })
    // A correction takes the payout back and pays another one.
    for (let amount = 1; amount <= 15; amount++) await wallet.wire.settle({ userId, transactionId, amount })
    const all = await rows(userId, '')
    expect(new Set(all.map(({ at }) => at)).size).toBe(17)
    const pages = await readAllPages((query) => read(userId, query), 4)
    expect(pages.flat()).toEqual(all)
    // number 3 is the house's, at the first result
    const numbers = Array.from({ length: 32 }, (_, i) => 32 - i).filter((number) => number !== 3)
    expect(idsOf(all)).toEqual(numbers.map((number) => `EUR-${number}`))
  })

  test('has only the transfers of a currency, on each page', async () => {
    const { userId } = await playerWithHistory()
    const pages = await readAllPages((query) => read(userId, `currency=USD&${query}`), 4)
    expect(pages.map((page) => page.length)).toEqual([4, 2])
    expect(idsOf(pages.flat())).toEqual(['USD-6', 'USD-5', 'USD-4', 'USD-3', 'USD-2', 'USD-1'])
    expect(await rows(userId, 'currency=BTC')).toEqual([])
  })

  test('has only the transfers of a kind, on each full page', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator)
    for (let i = 0; i < 5; i++) {
      wallet.clock.advance(1_000)
      await wallet.wire.place({ userId, token, transactionId: randomUUID(), amount: 1 })
      await wallet.operator.deposit(userId, `${i + 1}.00`, i % 2 === 0 ? 'EUR' : 'USD')
    }
    const pages = await readAllPages((query) => read(userId, `kind=deposit&${query}`), 4)
    expect(pages.map((page) => page.map(({ amount }) => amount))).toEqual([
      ['5.00', '4.00', '3.00', '2.00'],
      ['1.00', '1000.00'],
    ])
    expect(await rows(userId, 'kind=payout')).toEqual([])
    expectProblem(await read(userId, 'kind=gift'), 400, 'invalid_request', ['/query/kind'])
  })

  const file = async (userId: string, accept: string, query = '') => {
    const headers = { authorization: `Bearer ${wallet.operatorKey}`, accept }
    const reply = await request(`${wallet.url}/operator/players/${userId}/statement?${query}`, { headers })
    expect(reply.headers['content-type']).toBe(`${accept}; charset=utf-8`)
    return (await reply.body.text()).split(/\r?\n/)
  }

  test('is a file with all requested transfers, as NDJSON and as a table without formulas', async () => {
    const { userId } = await playerWithHistory()
    const why = { currency: 'EUR', amount: '-1.00', reference: 'r', reason: '=1+1', person: 'maria, "the boss"' }
    await wallet.operator.request('POST', `/operator/players/${userId}/adjustments`, why)
    const lines = await file(userId, 'application/x-ndjson', 'limit=2')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line))).toEqual(await rows(userId, ''))
    const [head, first = '', ...others] = await file(userId, 'text/csv', 'currency=EUR&limit=2')
    expect(head).toMatch(/^at,transferId,kind,currency,amount,balance,transactionId,/)
    expect(first).toMatch(/,EUR-7,adjustment,EUR,-1\.00,35\.00,,,r,"'=1\+1","maria, ""the boss""",,,$/)
    expect(others).toHaveLength(7)
  })

  test('as a table marks deposits to blocked or self-excluded players', async () => {
    const { userId } = await wallet.operator.createPlayer()
    await wallet.operator.deposit(userId, '1.00')
    await wallet.operator.patch(userId, { status: 'blocked' })
    const late = { currency: 'EUR', amount: '2.00', reference: 'late', despiteExclusion: true }
    expect((await wallet.operator.request('POST', `/operator/players/${userId}/deposits`, late)).status).toBe(201)
    const [head = '', ...lines] = await file(userId, 'text/csv', '')
    const place = head.split(',').indexOf('despiteExclusion')
    expect(lines.filter((line) => line !== '').map((line) => line.split(',')[place])).toEqual(['true', ''])
  })

  test('of an instant has the balances after the last transfer up to then', async () => {
    const { userId, times } = await playerWithHistory()
    const at = async (time: Date) => {
      const { body } = await wallet.operator.request(
        'GET',
        `/operator/players/${userId}/balances?at=${time.toISOString()}`,
      )
      return rowsOf(body, 'balances').map(({ amount }) => amount)
    }
    const minute = (i: number, ms: number) => new Date((times[i] as Date).getTime() + ms)
    expect(await at(minute(0, -60_000))).toEqual(['0.00', '0.00'])
    expect(await at(minute(0, 30_000))).toEqual(['1.00', '0.00'])
    expect(await at(minute(4, 30_000))).toEqual(['9.00', '6.00'])
    wallet.clock.advance(60_000)
    expect(await at(minute(11, 30_000))).toEqual(['36.00', '42.00'])
    const future = `/operator/players/${userId}/balances?at=9000-01-01T00:00:00Z`
    expectProblem(await wallet.operator.request('GET', future), 400, 'invalid_request', ['/query/at'])
  })

  test('includes from and excludes to, in any time zone', async () => {
    const { userId } = await playerWithHistory()
    const at = (await rows(userId, '')).map((row) => String(row.at)).reverse()
    const between = async (from: string, to: string) =>
      (await rows(userId, new URLSearchParams({ from, to }).toString())).map((row) => row.at)
    expect(await between(at[3] as string, at[6] as string)).toEqual([at[5], at[4], at[3]])
    expect(await between(at[3] as string, at[3] as string)).toEqual([])
    const inTokyo = (time: string) => new Date(Date.parse(time) + 9 * 3_600_000).toISOString().replace('Z', '+09:00')
    expect(await between(inTokyo(at[3] as string), inTokyo(at[5] as string))).toEqual([at[4], at[3]])
    const pages = await readAllPages((query) => read(userId, `from=${at[2]}&${query}`), 3)
    expect(pages.flat()).toHaveLength(10)
  })

  test('has 50 transfers without a limit, and never more than 500', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '10000.00')
    const bets = Array.from({ length: 520 }, () => ({ userId, token, transactionId: randomUUID(), amount: 1 }))
    await Promise.all(bets.map((bet) => wallet.wire.place(bet)))
    expect(await rows(userId, '')).toHaveLength(50)
    expect(await rows(userId, 'limit=500')).toHaveLength(500)
  })

  test('has no transfers of other players, and is empty for a player without any', async () => {
    const { userId } = await wallet.operator.createPlayer()
    await playerWithHistory()
    expect((await read(userId, '')).body).toEqual({ data: [], next: null })
  })

  const foreign = Buffer.from(JSON.stringify(['2031-05-16T00:00:00.000Z', 'a\u0000', '1'])).toString('base64url')
  const outside = Buffer.from(JSON.stringify(['-200000-01-01T00:00:00.000Z', 'EUR', '1'])).toString('base64url')
  const wordy = Buffer.from(JSON.stringify(['2031-05-16T00:00:00.000Z', 'EUR', 'first'])).toString('base64url')
  const longer = Buffer.from(JSON.stringify(['2031-05-16T00:00:00.000Z', 'EUR', '1', '1'])).toString('base64url')
  const faulty: [string, string, string][] = [
    ['a limit of 0', 'limit=0', '/query/limit'],
    ['a limit of 501', 'limit=501', '/query/limit'],
    ['a limit in words', 'limit=all', '/query/limit'],
    ['a negative limit', 'limit=-1', '/query/limit'],
    ['two limits', 'limit=1&limit=2', '/query/limit'],
    ['a day for a time', 'from=2031-05-16', '/query/from'],
    ['a leap second', 'to=2031-06-30T23:59:60Z', '/query/to'],
    ['the year 0', 'from=0000-01-01T00:00:00Z', '/query/from'],
    ['a currency that is too short', 'currency=E', '/query/currency'],
    ['a currency in small letters', 'currency=eur', '/query/currency'],
    ['a currency that this wallet has not', 'currency=ABC', '/query/currency'],
    ['a cursor that is none', 'after=yesterday', '/query/after'],
    ['an empty cursor', 'after=', '/query/after'],
    ['a cursor with a NUL in it', `after=${foreign}`, '/query/after'],
    ['a cursor from before the calendar', `after=${outside}`, '/query/after'],
    ['a cursor with a word for a number', `after=${wordy}`, '/query/after'],
    ['a cursor of another list', `after=${longer}`, '/query/after'],
  ]
  test.each(faulty)('is 400 for %s', async (_name, query, pointer) => {
    const { userId } = await wallet.operator.createPlayer()
    expectProblem(await read(userId, query), 400, 'invalid_request', [pointer])
  })
})
