// A locked bet, and a bet settled longer ago than PURSER_RESETTLE_WINDOW days, rejects a changed
// result (20) and acknowledges an identical repeat (L-3).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused, timeOf } from './answers.ts'
import { locked } from './moments.ts'
import { balanceOf, bring, deliver, must, newScene, resend, type Scene, sentBefore, stateOf } from './scene.ts'

const DAY = 86_400_000
const changes = [
  { what: 'more', column: 'settle', members: { amount: 251 } },
  { what: 'less', column: 'settle', members: { amount: 249 } },
  { what: 'another type', column: 'settle', members: { resultType: 'refund' } },
  { what: 'a loss', column: 'settle', members: { resultType: 'lost', amount: 0 } },
  { what: 'an unsettle', column: 'unsettle', members: {} },
] as const

let wallet: TestWallet
async function settledScene(): Promise<Scene> {
  const scene = await newScene(wallet)
  await bring(scene, 'settled')
  return scene
}

async function expectIdenticalRepeats(scene: Scene): Promise<void> {
  const original = timeOf(sentBefore(scene, 'settle').answer)
  for (const answer of [await resend(scene, 'settle'), await deliver(scene, 'settle')]) {
    expectDone(answer, scene.betId)
    expect(timeOf(answer)).toBe(original)
  }
  expect(await balanceOf(scene)).toBe('1150.00')
}

async function expectUnchanged(scene: Scene): Promise<void> {
  expect(await balanceOf(scene)).toBe('1150.00')
  expect(await stateOf(scene)).toBe('settled')
}

describe('a bet that the operator has locked', () => {
  beforeAll(async () => {
    wallet = await startWallet()
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  it.each(changes)('rejects $what with code 20', async ({ column, members }) => {
    const scene = await settledScene()
    await locked(scene)
    expectRefused(await deliver(scene, column, members), 20)
    await expectUnchanged(scene)
  })

  it('acknowledges an identical repeat', async () => {
    const scene = await settledScene()
    await locked(scene)
    await expectIdenticalRepeats(scene)
  })

  it('changes again after the lock is removed', async () => {
    const scene = await settledScene()
    await locked(scene)
    const lock = `/operator/players/${scene.userId}/bets/${scene.betId}/lock`
    expect((await wallet.operator.request('DELETE', lock)).status).toBe(204)
    await must(scene, 'settle', { amount: 300 })
    expect(await balanceOf(scene)).toBe('1200.00')
  })

  it('does not lock other bets of the player', async () => {
    const scene = await settledScene()
    await locked(scene)
    const other = await settledScene()
    await must(other, 'settle', { amount: 300 })
    expect(await balanceOf(other)).toBe('1200.00')
  })
})

describe('with PURSER_RESETTLE_WINDOW=2', () => {
  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_RESETTLE_WINDOW: '2' } })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  it.each(changes)('$what within two days is applied', async ({ column, members }) => {
    const scene = await settledScene()
    wallet.clock.advance(2 * DAY - 60_000)
    expectDone(await deliver(scene, column, members), scene.betId)
  })

  it.each(changes)('$what after two days is rejected with code 20', async ({ column, members }) => {
    const scene = await settledScene()
    wallet.clock.advance(2 * DAY + 60_000)
    expectRefused(await deliver(scene, column, members), 20)
    await expectUnchanged(scene)
  })

  it('an identical repeat after two days is acknowledged', async () => {
    const scene = await settledScene()
    wallet.clock.advance(2 * DAY + 60_000)
    await expectIdenticalRepeats(scene)
  })

  it('a bet that is still open after two days can be settled and cancelled (case 77)', async () => {
    const [one, other] = [await newScene(wallet), await newScene(wallet)]
    for (const scene of [one, other]) await bring(scene, 'open')
    wallet.clock.advance(60 * DAY)
    expectDone(await deliver(one, 'settle'), one.betId)
    expectDone(await deliver(other, 'rollback'), other.betId)
    expect([await balanceOf(one), await balanceOf(other)]).toEqual(['1150.00', '1000.00'])
  })
})

describe('without PURSER_RESETTLE_WINDOW', () => {
  beforeAll(async () => {
    wallet = await startWallet()
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  it.each(changes)('$what is applied after a year', async ({ column, members }) => {
    const scene = await settledScene()
    wallet.clock.advance(366 * DAY)
    expectDone(await deliver(scene, column, members), scene.betId)
  })
})
