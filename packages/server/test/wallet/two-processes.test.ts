/**
 * After a change through one wallet process, the next bet in another process on the same database
 * follows this change.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type Members, replyCode } from '../support/wire.ts'

let managed: TestWallet
let betting: TestWallet

beforeAll(async () => {
  managed = await startWallet()
  const env = { PARTNER_SECRET: managed.secret, OPERATOR_API_KEY: managed.operatorKey }
  betting = await startWallet({ databaseUrl: managed.databaseUrl, env })
})
afterAll(async () => {
  await managed.auditIsClean()
  await betting?.stop()
  await managed?.stop()
})

/** 200 or the code of the refusal for a new bet, at the process that the operator does not use. */
async function bet(player: Members): Promise<number> {
  const reply = await betting.wire.place({ ...player, transactionId: randomUUID(), amount: 1 })
  return reply.status === 200 ? 200 : (replyCode(reply) ?? 0)
}

describe('after a bet was accepted in another process', () => {
  const changes: [string, (userId: string) => Promise<unknown>, number][] = [
    ['a block', (userId) => managed.operator.patch(userId, { status: 'blocked' }), 9],
    ['a self-exclusion', (userId) => managed.operator.patch(userId, { selfExcludedUntil: '2099-01-01T00:00:00Z' }), 14],
    ['a failed verification', (userId) => managed.operator.patch(userId, { verified: false }), 15],
    ['a limit', (userId) => managed.operator.patch(userId, { limits: { stake: '1.00' } }), 11],
    [
      'the end of all sessions',
      (userId) => managed.operator.request('DELETE', `/operator/players/${userId}/sessions`),
      4,
    ],
    ['a switch of the currency', (userId) => managed.operator.switchCurrency(userId, 'USD'), 4],
  ]
  it.each(changes)('%s applies from the next bet on', async (_, change, code) => {
    const player = await playerWithMoney(managed.operator)
    expect(await bet(player)).toBe(200)
    await change(player.userId)
    expect(await bet(player)).toBe(code)
  })

  it('the end of a block applies as well, and the old token stays valid', async () => {
    const player = await playerWithMoney(managed.operator)
    await managed.operator.patch(player.userId, { status: 'blocked' })
    expect(await bet(player)).toBe(9)
    await managed.operator.patch(player.userId, { status: 'active' })
    expect(await bet(player)).toBe(200)
  })

  it('a new token is valid at once, and stays unknown for another player', async () => {
    const [player, other] = [await playerWithMoney(managed.operator), await playerWithMoney(managed.operator)]
    expect(await bet(player)).toBe(200)
    const token = await managed.operator.session(player.userId)
    expect(await bet({ ...player, token })).toBe(200)
    expect(await bet({ ...other, token })).toBe(3)
    expect(await bet({ ...player, token })).toBe(200)
  })
})
