/**
 * The erasure of a player with money, debts, open bets or a pending adjustment is refused and
 * changes nothing (O-10).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCommandActor } from '../../src/core/auth/audit-log/audit-log.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { canErasePlayer, erasePlayer } from '../../src/wallet/operator-api/players/player-erasure.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered } from '../wallet/answers.ts'

let wallet: TestWallet
let owner: Db
beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_CLAWBACK: 'allow-negative', PURSER_APPROVE_ABOVE: '10' } })
  owner = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await owner.close()
  await wallet.stop()
})

const may = (userId: string) => canErasePlayer({ db: owner, buckets: 1 }, userId)
const move = (userId: string, what: string, amount: string, over: object = {}) =>
  wallet.operator.request('POST', `/operator/players/${userId}/${what}`, {
    ...{ currency: 'EUR', reference: randomUUID(), amount },
    ...over,
  })

/** A bet of 10.00, the player's whole balance. */
async function playerWithBet() {
  const player = await playerWithMoney(wallet.operator, '10.00')
  const bet = { ...player, transactionId: randomUUID() }
  expect(answered(await wallet.wire.place({ ...bet, amount: 10 }))).toBe(200)
  return bet
}

describe('the erasure of a player is refused', () => {
  test('while the player owes money', async () => {
    const bet = await playerWithBet()
    expect(answered(await wallet.wire.settle({ ...bet, amount: 30, resultType: 'won' }))).toBe(200)
    expect((await move(bet.userId, 'withdrawals', '30.00')).status).toBe(201)
    expect(answered(await wallet.wire.settle({ ...bet, amount: 0, resultType: 'lost' }))).toBe(200)
    expect(await wallet.operator.balance(bet.userId)).toBe('-30.00')
    await expect(may(bet.userId)).rejects.toThrow('money in 1 currencies')
    await move(bet.userId, 'deposits', '30.00')
    expect(await may(bet.userId)).toBe(true)
  })

  test('while the player has an open bet', async () => {
    const bet = await playerWithBet()
    await expect(may(bet.userId)).rejects.toThrow('cannot be erased yet: 1 open bets')
    expect(answered(await wallet.wire.settle({ ...bet, amount: 0, resultType: 'lost' }))).toBe(200)
    expect(await may(bet.userId)).toBe(true)
  })

  test('while an adjustment waits for a second person, until it has expired', async () => {
    const { userId } = await wallet.operator.createPlayer()
    expect((await move(userId, 'adjustments', '10.01', { reason: 'a jackpot' })).status).toBe(202)
    await expect(may(userId)).rejects.toThrow('1 adjustments that are pending approval')
    await owner.longTransaction((tx) =>
      tx.query({
        name: 'test_expire',
        text: "update purser.proposal set expires_at = now() - interval '1 year'",
      }),
    )
    expect(await may(userId)).toBe(true)
  })

  test('until the reason is gone, and the attempt changes nothing', async () => {
    const { userId } = await playerWithMoney(wallet.operator, '0.01')
    const author = createCommandActor('purser', 'purser erase-player', 'erasePlayer', { person: 'maria' })
    await expect(erasePlayer({ db: owner, buckets: 1, now: new Date() }, author, userId)).rejects.toThrow('money')
    expect(await wallet.operator.balance(userId)).toBe('0.01')
    const { body } = await wallet.operator.request('GET', `/operator/actions?player=${userId}`)
    expect(JSON.stringify(body)).not.toContain('erasePlayer')
  })
})

test('the data of other players does not prevent the erasure of a player', async () => {
  await playerWithBet()
  const { userId } = await playerWithMoney(wallet.operator, '1.00')
  expect((await move(userId, 'withdrawals', '1.00')).status).toBe(201)
  expect(await may(userId)).toBe(true)
})
