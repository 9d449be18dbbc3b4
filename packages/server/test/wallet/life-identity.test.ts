// The bet of a call (I-1, I-7): ids are compared exactly as received, and the player is part of the
// bet's identity.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused } from './answers.ts'
import { balanceOf, bring, deliver, must, newScene, type Scene, stateOf } from './scene.ts'

let wallet: TestWallet
function ownWallet(): void {
  beforeAll(async () => {
    wallet = await startWallet()
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })
}

describe('ids are compared byte by byte as received (I-7):', () => {
  ownWallet()

  const uuid = randomUUID()
  it.each([
    ['case', uuid.toLowerCase(), uuid.toUpperCase()],
    ['a trailing space', 'bet-number-1', 'bet-number-1 '],
    ['composed and decomposed letters', 'caf\u00e9-bet-1', 'cafe\u0301-bet-1'],
    ['a leading zero', '0000000001', '00000000001'],
    ['a hyphen of a uuid', uuid, uuid.replaceAll('-', '')],
  ])('bets whose ids differ only in %s are two bets', async (_, one, other) => {
    const scene = await newScene(wallet)
    for (const betId of [one, other]) await must({ ...scene, betId }, 'place')
    expect(await balanceOf(scene)).toBe('800.00')
    await must({ ...scene, betId: one }, 'rollback')
    expect(await stateOf({ ...scene, betId: one })).toBe('cancelled')
    expect(await stateOf({ ...scene, betId: other })).toBe('open')
  })

  it.each([10, 36])('a transactionId of %i characters works in every call of a bet', async (length) => {
    const scene = { ...(await newScene(wallet)), betId: 'B'.repeat(length) }
    for (const column of ['place', 'settle', 'unsettle', 'rollback'] as const) {
      expectDone(await deliver(scene, column), scene.betId)
    }
    expect(await balanceOf(scene)).toBe('1000.00')
  })

  it.each([10, 64])('a requestId of %i characters is accepted', async (length) => {
    const scene = await newScene(wallet)
    expectDone(await deliver(scene, 'place', { requestId: 'r'.repeat(length) }), scene.betId)
  })
})

/** The prefix varies, so that the two players of some pairs share a lane and a batch. */
async function spacedPair(prefix: string): Promise<[Scene, Scene]> {
  const name = randomUUID()
  const one = await newScene(wallet, { player: { userId: name } })
  const other = await newScene(wallet, { player: { userId: `${prefix} ${name}` } })
  return [
    { ...one, betId: `bet-number-1 ${prefix}` },
    { ...other, betId: 'bet-number-1' },
  ]
}

describe('the ids of a bet and its player are never concatenated:', () => {
  ownWallet()

  it('"id a" of "y" differs from "id" of "a y", also when both arrive at once', async () => {
    const pairs = await Promise.all([...'abcdefghijklmnopqrstuvwxyzABCDEF'].map(spacedPair))
    await Promise.all(pairs.flat().map((scene) => must(scene, 'place')))
    await Promise.all(pairs.map(([one]) => must(one, 'rollback')))
    const states: unknown[] = []
    for (const scene of pairs.flat()) states.push([await stateOf(scene), await balanceOf(scene)])
    expect(states).toEqual(
      pairs.flatMap(() => [
        ['cancelled', '1000.00'],
        ['open', '900.00'],
      ]),
    )
  })
})

describe('a call with another player’s bet id is about another bet (I-1, K22):', () => {
  ownWallet()

  async function openBetAndOtherPlayer() {
    const scene = await newScene(wallet)
    await bring(scene, 'open')
    const other = { ...(await newScene(wallet)), betId: scene.betId }
    return { scene, other }
  }

  it('two players can place the same transactionId without any effect on each other (case 41)', async () => {
    const { scene, other } = await openBetAndOtherPlayer()
    await must(other, 'place', { amount: 7 })
    await must(scene, 'settle')
    expect(await stateOf(other)).toBe('open')
    expect([await balanceOf(scene), await balanceOf(other)]).toEqual(['1150.00', '993.00'])
  })

  it('a Settle or Unsettle for a player without the bet is rejected with code 5 and moves no money', async () => {
    const { scene, other } = await openBetAndOtherPlayer()
    expectRefused(await deliver(other, 'settle', { token: other.token }), 5)
    expectRefused(await deliver(other, 'unsettle'), 5)
    expect(await stateOf(scene)).toBe('open')
    expect([await balanceOf(scene), await balanceOf(other)]).toEqual(['900.00', '1000.00'])
  })

  it('a Rollback for another player leaves the bet of its owner open', async () => {
    const { scene, other } = await openBetAndOtherPlayer()
    expectDone(await deliver(other, 'rollback'), scene.betId)
    expect(await stateOf(scene)).toBe('open')
    expect([await balanceOf(scene), await balanceOf(other)]).toEqual(['900.00', '1000.00'])
  })

  it('a Rollback for an unknown player is answered 200 and moves no money (case 57)', async () => {
    const { scene } = await openBetAndOtherPlayer()
    const unknown = { ...scene, userId: `nobody-${randomUUID()}` }
    expectDone(await deliver(unknown, 'rollback'), scene.betId)
    expectRefused(await deliver(unknown, 'settle'), 20)
    expect(await balanceOf(scene)).toBe('900.00')
  })

  it('a Place bet with another player’s token is rejected with code 3 (K5)', async () => {
    const { scene, other } = await openBetAndOtherPlayer()
    expectRefused(await deliver(other, 'place', { token: scene.token }), 3)
    expect([await balanceOf(scene), await balanceOf(other)]).toEqual(['900.00', '1000.00'])
  })
})
