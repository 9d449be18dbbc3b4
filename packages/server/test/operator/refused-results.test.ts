/**
 * The list of bets shows a result that the wallet refused with 20 or 21 until a newer result is
 * applied (L-2). For a bet that the wallet refused, the list shows the requested stake (I-3).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { rowsOf } from './answers.ts'

describe.each(['1', '4'])('a bet with a refused result, with %s buckets,', (buckets) => {
  let wallet: TestWallet
  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: buckets } })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  const move = async (userId: string, what: 'deposits' | 'withdrawals', amount: string) => {
    const movement = { currency: 'EUR', amount, reference: randomUUID() }
    const { status } = await wallet.operator.request('POST', `/operator/players/${userId}/${what}`, movement)
    expect(status).toBeLessThan(300)
  }
  /** By transactionId. */
  async function refusedIn(query: string): Promise<Record<string, unknown>> {
    const { body } = await wallet.operator.request('GET', `/operator/bets?${query}`)
    return Object.fromEntries(rowsOf(body, 'data').map((bet) => [bet.transactionId, bet.refusedResult]))
  }

  test('shows it until a result is applied again, and not after a late copy of an earlier refused result', async () => {
    const player = await playerWithMoney(wallet.operator, '10.00', 'EUR')
    const [disputed, plain] = [randomUUID(), randomUUID()]
    const bet = { ...player, transactionId: disputed }
    await wallet.wire.place({ ...bet, amount: 10 })
    await wallet.wire.settle({ ...bet, amount: 30, resultType: 'won' })
    await wallet.wire.place({ ...player, transactionId: plain, amount: 5 })
    await wallet.wire.settle({ ...player, transactionId: plain, amount: 0, resultType: 'lost' })
    await move(player.userId, 'withdrawals', '25.00')
    const query = `userId=${player.userId}`
    expect(await refusedIn(query)).toEqual({ [disputed]: undefined, [plain]: undefined })
    const correction = { ...bet, requestId: randomUUID(), amount: 0, resultType: 'lost' as const }
    expect((await wallet.wire.settle(correction)).status).toBe(400)
    const refused = { operation: 'settle', code: 21, at: expect.any(String) }
    for (const asked of [query, `transactionId=${disputed}&${query}`, `status=settled&${query}`])
      expect((await refusedIn(asked))[disputed], asked).toEqual(refused)
    expect((await refusedIn(query))[plain]).toBeUndefined()
    await move(player.userId, 'deposits', '100.00')
    expect((await wallet.wire.settle({ ...bet, requestId: randomUUID(), amount: 20, resultType: 'won' })).status).toBe(
      200,
    )
    expect((await refusedIn(query))[disputed], 'another result stands now').toBeUndefined()
    expect((await wallet.wire.settle(correction)).status).toBe(400)
    expect((await refusedIn(query))[disputed], 'a late copy').toBeUndefined()
    await move(player.userId, 'withdrawals', '85.00')
    expect((await wallet.wire.unsettle({ ...bet, requestId: randomUUID() })).status).toBe(400)
    expect((await refusedIn(query))[disputed]).toEqual({ ...refused, operation: 'unsettle' })
  })

  test('that was itself refused shows the requested stake while its refusal stands, and no other bet does (I-3)', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const [refused, open, unknown] = [randomUUID(), randomUUID(), randomUUID()]
    const place = async (transactionId: string, amount: number, over: string = token) =>
      (await wallet.wire.place({ userId, transactionId, amount, token: over })).body
    expect(await place(refused, 50, randomUUID())).toMatchObject({ code: 3 })
    expect([await place(refused, 300), await place(refused, 400)]).toMatchObject([{ code: 7 }, { code: 7 }])
    await place(open, 10)
    await wallet.wire.settle({ userId, transactionId: unknown, amount: 20 })
    const { body } = await wallet.operator.request('GET', `/operator/bets?userId=${userId}`)
    const asked = rowsOf(body, 'data').map(({ transactionId, requestedStake }) => [transactionId, requestedStake])
    expect(Object.fromEntries(asked)).toEqual({
      [refused]: { amount: '300.00', currency: 'EUR' },
      [open]: undefined,
      [unknown]: undefined,
    })
  })
})
