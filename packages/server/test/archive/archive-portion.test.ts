/**
 * A portion of an archive run moves old transfers of an account to a file (O-13). If the account
 * changes after the file was written, its transfers stay in the database.
 */
import { randomUUID } from 'node:crypto'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { MAX_PORTION, readPortion } from '../../src/wallet/archive/archive-portion.ts'
import { removePortion } from '../../src/wallet/archive/portion-removal.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered } from '../wallet/answers.ts'
import { DAY_MS, keepTokens } from './archive-fixtures.ts'

let wallet: TestWallet
let owner: Db
beforeAll(async () => {
  wallet = await startWallet()
  wallet.clock.advance(-60 * DAY_MS)
  owner = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await owner.close()
  await wallet.stop()
})

/** A won bet of a player with a deposit. */
async function settledBet() {
  const player = await playerWithMoney(wallet.operator, '100.00')
  const bet = { ...player, transactionId: randomUUID() }
  expect(answered(await wallet.wire.place({ ...bet, amount: 10 }))).toBe(200)
  const result = { ...bet, amount: 25, resultType: 'won', requestId: randomUUID() }
  expect(answered(await wallet.wire.settle(result))).toBe(200)
  return result
}

/** Resolves to the limit between old and new data. */
async function nextDay(): Promise<Date> {
  wallet.clock.advance(DAY_MS)
  await keepTokens(wallet)
  const limit = wallet.clock.now()
  wallet.clock.advance(DAY_MS)
  return limit
}

const accountOf = (userId: string) => ({ bucket: 0, player: userId as PlayerId, currency: 'EUR' as Currency })
const found = (userId: string, before: Date) =>
  owner.snapshot((tx) => readPortion(tx, accountOf(userId), before, MAX_PORTION))

async function going(userId: string, before: Date) {
  const { portion, isHeldBack } = await found(userId, before)
  return { transfers: portion?.transfers.map(({ kind }) => kind) ?? [], isHeldBack }
}

const ALL = { transfers: ['deposit', 'stake', 'stake_closed', 'payout'], isHeldBack: false }
const UNTIL_THE_BET = { transfers: ['deposit'], isHeldBack: true }

test('the transfers of a bet that ended before the limit are archived with its data', async () => {
  const { userId } = await settledBet()
  const before = await nextDay()
  expect(await going(userId, before)).toEqual(ALL)
  expect((await found(userId, before)).portion?.bets).toHaveLength(1)
})

type Bet = Awaited<ReturnType<typeof settledBet>>
const LATE: [string, (bet: Bet) => ReturnType<TestWallet['wire']['settle']>][] = [
  ['a repeated result', (bet) => wallet.wire.settle(bet)],
  ['its result with another requestId', (bet) => wallet.wire.settle({ ...bet, requestId: randomUUID() })],
  ['a copy of its Place bet', (bet) => wallet.wire.place({ ...bet, amount: 10, requestId: randomUUID() })],
]
test.each(LATE)('a bet is kept if %s arrives after the limit, until that call is old as well', async (_what, call) => {
  const bet = await settledBet()
  const before = await nextDay()
  expect(await going(bet.userId, before)).toEqual(ALL)
  expect(answered(await call(bet))).toBe(200)
  expect(await going(bet.userId, before)).toEqual(UNTIL_THE_BET)
  expect(await going(bet.userId, await nextDay())).toEqual(ALL)
})

test('a bet that is open or was settled after the limit is kept, with all transfers after it', async () => {
  const player = await playerWithMoney(wallet.operator, '100.00')
  const bet = { ...player, transactionId: randomUUID(), amount: 10 }
  expect(answered(await wallet.wire.place(bet))).toBe(200)
  await wallet.operator.deposit(player.userId, '1.00')
  const before = await nextDay()
  expect(await going(player.userId, before)).toEqual(UNTIL_THE_BET)
  expect(answered(await wallet.wire.settle({ ...bet, amount: 0, resultType: 'lost' }))).toBe(200)
  expect(await going(player.userId, before)).toEqual(UNTIL_THE_BET)
  expect((await going(player.userId, await nextDay())).transfers).toEqual([
    ...['deposit', 'stake', 'deposit', 'stake_closed'],
  ])
})

test('a row that a call changes after it was written to the file stays in the database', async () => {
  const bet = await settledBet()
  const before = await nextDay()
  const { portion } = await found(bet.userId, before)
  if (portion === undefined) throw new Error('nothing may go')
  expect(answered(await wallet.wire.settle({ ...bet, amount: 30, requestId: randomUUID() }))).toBe(200)
  expect(await removePortion(owner, portion, 'purser-archive-file', 1, before)).toBe(false)
  expect(await going(bet.userId, before)).toEqual(UNTIL_THE_BET)
  await wallet.auditIsClean()
})
