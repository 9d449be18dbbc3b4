/**
 * The report of a day by player has the players with movements. Its sums equal the daily report,
 * and each player's closing amount equals the balance.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../src/wallet/ledger/daily-sums.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { expectProblem, rowsOf } from './answers.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_BUCKETS: '2' } })
  // noon, so that no day ends during the test
  wallet.clock.advance(-100 * DAY_MS + (DAY_MS / 2 - (wallet.clock.now().getTime() % DAY_MS)))
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

const today = () => wallet.clock.now().toISOString().slice(0, 10)
const ask = (query: string) => wallet.operator.request('GET', `/operator/reports/players?${query}`)
const dataOf = async (query: string) => rowsOf((await ask(query)).body, 'data')

async function aDay(): Promise<string> {
  const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR', { brand: 'nordic' })
  const place = async (amount: number) => {
    const bet = { userId, transactionId: randomUUID(), amount }
    expect((await wallet.wire.place({ ...bet, token })).status).toBe(200)
    return bet
  }
  const won = await place(10)
  await wallet.wire.settle({ ...won, amount: 25 })
  await wallet.wire.settle({ ...won, amount: 5 })
  await place(3)
  await wallet.wire.rollback(await place(7))
  const move = (what: string, body: object) =>
    wallet.operator.request('POST', `/operator/players/${userId}/${what}`, {
      currency: 'EUR',
      reference: what,
      ...body,
    })
  expect((await move('withdrawals', { amount: '20.00' })).status).toBe(201)
  expect((await move('adjustments', { amount: '-1.50', reason: 'counted twice', person: 'maria' })).status).toBe(201)
  return userId
}

test('the player report of a day has each player’s movements from midnight to midnight', async () => {
  const first = today()
  const one = await aDay()
  wallet.clock.advance(DAY_MS)
  const other = await playerWithMoney(wallet.operator, '50', 'JPY')
  const [row] = await dataOf(`day=${first}`)
  expect(row).toMatchObject({
    ...{ userId: one, currency: 'EUR', opening: '0.00', deposits: '100.00', withdrawals: '20.00', stakes: '20.00' },
    ...{ refunds: '7.00', payouts: '30.00', resettlements: '-25.00', adjustments: '-1.50', openings: '0.00' },
    ...{ net: '-8.00', closing: '70.50' },
  })
  const { body } = await wallet.operator.request('GET', `/operator/reports/daily?from=${first}`)
  const [report] = rowsOf(body, 'data')
  for (const name of ['deposits', 'withdrawals', 'stakes', 'refunds', 'payouts', 'resettlements', 'adjustments'])
    expect([name, row?.[name]]).toEqual([name, report?.[name]])
  expect(await dataOf(`day=${today()}`)).toMatchObject([{ userId: other.userId, currency: 'JPY', closing: '50' }])
  await wallet.operator.deposit(one, '0.50')
  const all = await dataOf(`day=${today()}`)
  expect(all.find(({ userId }) => userId === one)).toMatchObject({ opening: '70.50', closing: '71.00', transfers: 1 })
  expect(await dataOf(`day=${today()}&currency=EUR`)).toHaveLength(1)
  const page = (await ask(`day=${today()}&limit=1`)).body as JsonObject
  const next = await ask(`day=${today()}&limit=1&after=${page.next}`)
  expect([...(page.data as JsonObject[]), ...rowsOf(next.body, 'data')]).toEqual(all)
  expect((next.body as JsonObject).next).toBeNull()
  expect(await dataOf('day=2001-01-01')).toEqual([])
  expectProblem(await ask(`day=${today()}&currency=QQQ`), 400, 'invalid_request')
  expectProblem(await ask('limit=1'), 400, 'invalid_request')
})
