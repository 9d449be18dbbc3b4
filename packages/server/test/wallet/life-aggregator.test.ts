// Behind an aggregator the player is `operatorUser` if it is present (I-1, P-5). Without an
// aggregator `operatorUser` is checked and ignored.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused, member } from './answers.ts'
import { messageNames, messageOf, sceneFor, sendText } from './messages.ts'
import { balanceOf, type Column, columns, deliver, must, newScene, type Scene, stateOf } from './scene.ts'

let wallet: TestWallet
function walletWith(behind: string): void {
  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BEHIND_AGGREGATOR: behind } })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })
}

/** `userId` has the aggregator's own id, and `operatorUser` the operator's player. */
const forwarded = ({ userId }: Scene) => ({ userId: 'aggregator-4711', operatorUser: userId })

describe('with PURSER_BEHIND_AGGREGATOR=true', () => {
  walletWith('true')

  it('every call of a bet moves the money of operatorUser', async () => {
    const scene = await newScene(wallet)
    const balances: string[] = []
    for (const column of columns) {
      expectDone(await deliver(scene, column, forwarded(scene)), scene.betId)
      balances.push(await balanceOf(scene))
    }
    expect(balances).toEqual(['900.00', '1150.00', '900.00', '1000.00'])
  })

  it('the player is userId if operatorUser is absent', async () => {
    const scene = await newScene(wallet)
    await must(scene, 'place')
    expect(await balanceOf(scene)).toBe('900.00')
  })

  it('an id names the same player, and so the same bet, in either member', async () => {
    const scene = await newScene(wallet)
    await must(scene, 'place')
    await must(scene, 'place', forwarded(scene))
    await must(scene, 'settle', forwarded(scene))
    expect(await balanceOf(scene)).toBe('1150.00')
  })

  it('one transactionId of two operatorUsers names two bets, with any userId', async () => {
    const one = await newScene(wallet)
    const other = { ...(await newScene(wallet)), betId: one.betId }
    await must(one, 'place', forwarded(one))
    await must(other, 'place', forwarded(other))
    await must(one, 'rollback', forwarded(one))
    expect([await balanceOf(one), await balanceOf(other)]).toEqual(['1000.00', '900.00'])
    expect([await stateOf(one), await stateOf(other)]).toEqual(['cancelled', 'open'])
  })

  it('a token of userId that does not belong to operatorUser is rejected with code 3', async () => {
    const [one, other] = [await newScene(wallet), await newScene(wallet)]
    expectRefused(await deliver(one, 'place', { operatorUser: other.userId }), 3)
    await must(one, 'place')
    expectRefused(
      await deliver(one, 'settle', { resultType: 'cashout', token: one.token, operatorUser: other.userId }),
      5,
    )
    expect([await balanceOf(one), await balanceOf(other)]).toEqual(['900.00', '1000.00'])
  })

  it('Balance and Check identify the player in the same way', async () => {
    const scene = await newScene(wallet)
    await must(scene, 'place', forwarded(scene))
    const named = forwarded(scene)
    const balance = await wallet.wire.balance({ ...named, token: scene.token })
    expect(balance.body).toMatchObject({ currency: 'EUR', amount: 900 })
    const check = await wallet.wire.check({ ...named, transactionId: scene.betId })
    expect(check.body).toMatchObject({ transactionId: scene.betId, amount: 100, type: 1 })
    expectRefused(await wallet.wire.balance({ userId: named.userId, token: scene.token }), 3)
    expectRefused(await wallet.wire.check({ userId: named.userId, transactionId: scene.betId }), 5)
  })

  it('User data with an operatorUser checks the token of that player', async () => {
    const [scene, other] = [await newScene(wallet), await newScene(wallet)]
    expect(await wallet.wire.profile(scene.token, { operatorUser: scene.userId })).toMatchObject({ status: 200 })
    expectRefused(await wallet.wire.profile(scene.token, { operatorUser: other.userId }), 3)
  })
})

describe.each(['false', 'true'])('with PURSER_BEHIND_AGGREGATOR=%s', (behind) => {
  walletWith(behind)

  const malformed = ['', 'x'.repeat(65), 'a b', 'a/b', 'a@b', 'é', 'a\n', '\n', 'a\u0000b', 1, null, true, [], {}]
  it.each(messageNames)(
    'an operatorUser that does not match its pattern is rejected with code 5 in %s (P-5)',
    async (name) => {
      const scene = await sceneFor(wallet, name)
      const [before, state] = [await balanceOf(scene), await stateOf(scene)]
      for (const operatorUser of malformed) {
        expectRefused(await sendText(scene, name, JSON.stringify({ ...messageOf(scene, name), operatorUser })), 5)
      }
      expect([await balanceOf(scene), await stateOf(scene)]).toEqual([before, state])
    },
  )

  it.each(messageNames)('an operatorUser that equals userId is accepted in %s (P-5)', async (name) => {
    const scene = await sceneFor(wallet, name)
    const message = { ...messageOf(scene, name), operatorUser: scene.userId }
    expect(await sendText(scene, name, JSON.stringify(message))).toMatchObject({ status: 200 })
  })

  it('the profile returns the operatorUser that the operator stored, twice (P-5)', async () => {
    const scene = await newScene(wallet, { player: { operatorUser: 'Real.Player_7~a-b' } })
    const { body } = await wallet.wire.profile(scene.token)
    expect(member(body, 'operatorUser')).toBe('Real.Player_7~a-b')
    expect(member(member(body, 'customFields'), 'operatorUser')).toBe('Real.Player_7~a-b')
  })
})

describe('without PURSER_BEHIND_AGGREGATOR', () => {
  walletWith('false')

  it.each(columns)('%s uses userId and ignores operatorUser', async (column: Column) => {
    const [scene, stranger] = [await newScene(wallet), await newScene(wallet)]
    const before: Partial<Record<Column, Column[]>> = {
      settle: ['place'],
      unsettle: ['place', 'settle'],
      rollback: ['place'],
    }
    for (const step of before[column] ?? []) await must(scene, step)
    expectDone(await deliver(scene, column, { operatorUser: stranger.userId }), scene.betId)
    const after = { place: '900.00', settle: '1150.00', unsettle: '900.00', rollback: '1000.00' }
    expect([await balanceOf(scene), await balanceOf(stranger)]).toEqual([after[column], '1000.00'])
  })
})
