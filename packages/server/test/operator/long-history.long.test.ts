/**
 * The wallet reads the history of a bet with thousands of results with a few statements, and delays
 * no other call.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { rowsOf } from './answers.ts'

const RESETTLES = 12_000

/**
 * Resettles of the bet $1, as the wallet records them. They follow a stake of 10.00 (the second
 * transfer) and a payout of 25.00. Each takes the previous payout back and pays 20.00 or 25.00 in
 * turns; the last one equals the first settlement.
 */
const RESETTLE = [
  `create temporary table resettle as select bucket, player, bet_id, currency, changed_at as at, i, 2 * i + 3 as version,
     2500 - i % 2 * 500 as payout, 2000 + i % 2 * 500 as earlier
   from purser.bet, generate_series(1, ${RESETTLES}) i`,
  `insert into purser.transfer (bucket, player, currency, version, kind, debit, credit, amount, balance_after, bet_id, request_id, at)
   select bucket, player, currency, version, 'payout_reversal', 'player', 'house', earlier, 9000, bet_id, 'resettle-' || i, at from resettle
   union all
   select bucket, player, currency, version + 1, 'payout', 'house', 'player', payout, 9000 + payout, bet_id, 'resettle-' || i, at from resettle`,
  `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, amount, currency, result_type, outcome, transfers, effect_at, at)
   select bucket, player, bet_id, i + 2, 'settle', 'resettle-' || i, payout, currency, 'won', 'applied', array[version, version + 1], at, at
   from resettle`,
  `update purser.bet set calls = calls + ${RESETTLES}`,
  `update purser.account set version = version + 2 * ${RESETTLES} where currency = 'EUR'`,
]

let wallet: TestWallet
let token: string
const bet = { userId: '', transactionId: randomUUID() }

beforeAll(async () => {
  wallet = await startWallet()
  const player = await playerWithMoney(wallet.operator, '100.00')
  token = player.token
  bet.userId = player.userId
  await wallet.wire.place({ ...bet, token, amount: 10 })
  await wallet.wire.settle({ ...bet, amount: 25 })
  const sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  for (const text of RESETTLE) await sql.query(text)
  await sql.end()
  await wallet.auditIsClean()
})
afterAll(() => wallet.stop())

test('the history of a bet with many calls is shown in full, each call with its own transfers', async () => {
  const history = rowsOf(await wallet.operator.bet(bet.userId, bet.transactionId), 'history')
  expect(history).toHaveLength(RESETTLES + 2)
  const amounts = history.map((call) => rowsOf(call, 'transfers').map(({ amount }) => amount))
  expect(amounts.slice(0, 4)).toEqual([['-10.00'], ['0.00', '25.00'], ['-25.00', '20.00'], ['-20.00', '25.00']])
  expect(amounts.slice(2).every((moved) => moved.length === 2)).toBe(true)
})

test('a user who loads the frame during a long history is answered within the wallet’s 4 s (R-5)', async () => {
  const [shown, ...profiles] = await Promise.all([
    wallet.operator.request('GET', `/operator/players/${bet.userId}/bets/${bet.transactionId}`),
    ...Array.from({ length: 50 }, () => wallet.wire.profile(token)),
  ])
  expect([shown, ...profiles].map(({ status }) => status)).toEqual(Array(51).fill(200))
})
