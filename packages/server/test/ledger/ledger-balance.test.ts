/**
 * The sums of balances and of transfers per currency are exact to the minor unit
 * (ledger-balance.ts).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { closeDays } from '../../src/wallet/ledger/daily-sums.ts'
import { sumLedger } from '../../src/wallet/ledger/ledger-balance.ts'
import { playerWithMoney } from '../support/operator.ts'
import { inSql } from '../support/second-postgres.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

const DAY_MS = 86_400_000

let wallet: TestWallet
let owner: Db
beforeAll(async () => {
  wallet = await startWallet()
  wallet.clock.advance(-10 * DAY_MS)
  owner = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await owner.close()
  await wallet.stop()
})

const sums = () => sumLedger(owner, wallet.clock.now())

test('transfers of closed and open days are summed once, each currency separately', async () => {
  expect(await sums()).toEqual([])
  const { userId } = await playerWithMoney(wallet.operator, '5.00')
  await wallet.operator.deposit(userId, '0.01', 'USD')
  const first = [
    { currency: 'EUR', players: 500n, others: -500n },
    { currency: 'USD', players: 1n, others: -1n },
  ]
  expect(await sums()).toEqual(first)
  wallet.clock.advance(2 * DAY_MS)
  await closeDays(owner, wallet.clock.now())
  expect(await inSql(wallet.databaseUrl, 'select from purser.daily_sum')).toHaveLength(2)
  expect(await sums()).toEqual(first)
  await wallet.operator.deposit(userId, '0.02')
  expect((await sums())[0]).toEqual({ currency: 'EUR', players: 502n, others: -502n })
})

test('a balance without transfers, and transfers without a balance, differ by the full amount', async () => {
  const { userId } = await playerWithMoney(wallet.operator, '0.03')
  const extra = '{"player": "stranger", "currency": "GBP", "balance": 1}'
  await inSql(
    wallet.databaseUrl,
    `insert into purser.account select (jsonb_populate_record(a, '${extra}')).* from purser.account a where player = '${userId}' limit 1`,
  )
  expect((await sums()).find(({ currency }) => currency === 'GBP')).toEqual({
    currency: 'GBP',
    players: 1n,
    others: 0n,
  })
  await inSql(wallet.databaseUrl, "delete from purser.account where player = 'stranger'")
  const usd = "update purser.account set currency = 'SEK' where currency = 'USD'"
  await inSql(wallet.databaseUrl, usd)
  expect((await sums()).slice(1)).toEqual([
    { currency: 'SEK', players: 1n, others: 0n },
    { currency: 'USD', players: 0n, others: -1n },
  ])
  await inSql(wallet.databaseUrl, "update purser.account set currency = 'USD' where currency = 'SEK'")
})
