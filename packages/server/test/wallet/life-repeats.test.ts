// Late repeats (I-2) and one requestId on several bets (I-6).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type Answer, expectDone, expectRefused, timeOf } from './answers.ts'
import { locked, richer, spentAll, unlocked } from './moments.ts'
import {
  balanceOf,
  bring,
  deliver,
  type Members,
  must,
  newScene,
  nextBet,
  resend,
  type Scene,
  sendCall,
  sentBefore,
  stateOf,
} from './scene.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

const lost = { resultType: 'lost', amount: 0 }

/** A bet settled as won 250; `late` repeats its first settlement. */
async function settledOnce() {
  const scene = await newScene(wallet)
  await bring(scene, 'settled')
  const { message, answer } = sentBefore(scene, 'settle')
  wallet.clock.advance(1_000)
  return { scene, late: () => sendCall(scene, 'settle', message), original: timeOf(answer), message }
}

async function expectWithoutEffect(scene: Scene, balance: string, state: string): Promise<void> {
  expect(await balanceOf(scene)).toBe(balance)
  expect(await stateOf(scene)).toBe(state)
}

describe('a late repeat of a settle (I-2)', () => {
  it('has no effect after a newer result', async () => {
    const { scene, late, original } = await settledOnce()
    await must(scene, 'settle', lost)
    const answer = await late()
    expectDone(answer, scene.betId)
    expect(timeOf(answer)).toBe(original)
    await expectWithoutEffect(scene, '900.00', 'settled')
  })

  it('has no effect after an unsettle', async () => {
    const { scene, late, original } = await settledOnce()
    await must(scene, 'unsettle')
    const answer = await late()
    expectDone(answer, scene.betId)
    expect(timeOf(answer)).toBe(original)
    await expectWithoutEffect(scene, '900.00', 'open')
  })

  it('has no effect after an unsettle and a rollback (K17)', async () => {
    const { scene, late, original } = await settledOnce()
    await must(scene, 'unsettle')
    await must(scene, 'rollback')
    const answer = await late()
    expectDone(answer, scene.betId)
    expect(timeOf(answer)).toBe(original)
    await expectWithoutEffect(scene, '1000.00', 'cancelled')
  })

  it('has no effect on a locked bet and on a player without money', async () => {
    const { scene, late, original } = await settledOnce()
    await must(scene, 'settle', lost)
    await spentAll(scene)
    await locked(scene)
    const answer = await late()
    expect(timeOf(answer)).toBe(original)
    await expectWithoutEffect(scene, '0.00', 'settled')
  })

  it('is recognised although the amount is spelled otherwise', async () => {
    const { scene, message, original } = await settledOnce()
    await must(scene, 'settle', lost)
    const text = JSON.stringify(message).replace('"amount":250', '"amount":2.500e2')
    expect(text).toContain('2.500e2')
    const answer = await wallet.wire.call('PUT', '/payment/bet', text)
    expect(timeOf(answer)).toBe(original)
    await expectWithoutEffect(scene, '900.00', 'settled')
  })

  it('is recognised for a cashout whose token has ended since (I-5)', async () => {
    const scene = await newScene(wallet)
    await must(scene, 'place')
    const { token } = await expiredTokenToCome(scene)
    await must(scene, 'settle', { resultType: 'cashout', amount: 150, token })
    const { message, answer: original } = sentBefore(scene, 'settle')
    wallet.clock.advance(61_000)
    await must(scene, 'settle', { amount: 300 })
    const answer = await sendCall(scene, 'settle', message)
    expect(timeOf(answer)).toBe(timeOf(original))
    await expectWithoutEffect(scene, '1200.00', 'settled')
  })

  it('is treated as a resettle when the content differs', async () => {
    const { scene, message } = await settledOnce()
    await must(scene, 'settle', lost)
    expectDone(await sendCall(scene, 'settle', { ...message, amount: 270 }), scene.betId)
    await expectWithoutEffect(scene, '1170.00', 'settled')
  })

  it('is treated as a new result under another requestId: A, B, A ends at A (case 86)', async () => {
    const { scene } = await settledOnce()
    await must(scene, 'settle', lost)
    await must(scene, 'settle')
    await expectWithoutEffect(scene, '1150.00', 'settled')
  })
})

async function expiredTokenToCome({ wallet: { operator }, userId }: Scene): Promise<{ token: string }> {
  return { token: await operator.session(userId, { ttlSeconds: 60 }) }
}

describe('a late repeat of an unsettle (I-2)', () => {
  it('has no effect after a newer result', async () => {
    const { scene } = await settledOnce()
    await must(scene, 'unsettle')
    const original = timeOf(sentBefore(scene, 'unsettle').answer)
    wallet.clock.advance(1_000)
    await must(scene, 'settle', { amount: 300 })
    const answer = await resend(scene, 'unsettle')
    expectDone(answer, scene.betId)
    expect(timeOf(answer)).toBe(original)
    await expectWithoutEffect(scene, '1200.00', 'settled')
  })

  it('has no effect after a rollback', async () => {
    const { scene } = await settledOnce()
    await must(scene, 'unsettle')
    const original = timeOf(sentBefore(scene, 'unsettle').answer)
    await must(scene, 'rollback')
    const answer = await resend(scene, 'unsettle')
    expect(timeOf(answer)).toBe(original)
    await expectWithoutEffect(scene, '1000.00', 'cancelled')
  })

  it('is treated as a new call under another requestId', async () => {
    const { scene } = await settledOnce()
    await must(scene, 'unsettle')
    await must(scene, 'settle')
    await must(scene, 'unsettle')
    await expectWithoutEffect(scene, '900.00', 'open')
  })
})

/**
 * A bet settled as won 250, with a result that was refused for lack of money (21). By now there is
 * enough money.
 */
async function refusedOnce(column: 'settle' | 'unsettle', over: Members = {}) {
  const scene = await newScene(wallet)
  await bring(scene, 'settled')
  const { message: inForce } = sentBefore(scene, 'settle')
  await spentAll(scene)
  expectRefused(await deliver(scene, column, over), 21)
  await richer(scene)
  const { message } = sentBefore(scene, column)
  return { scene, late: (): Promise<Answer> => sendCall(scene, column, message), message, inForce }
}

const lower = { amount: 20 }

describe.each([
  ['settle', lower],
  ['unsettle', {}],
] as const)('the late copy of a rejected %s (I-2)', (column, over) => {
  it('gets the same rejection and has no effect after a newer result was applied', async () => {
    const { scene, late } = await refusedOnce(column, over)
    await must(scene, 'settle', { amount: 150 })
    for (const _ of [1, 2]) expectRefused(await late(), 21)
    await expectWithoutEffect(scene, '8900.00', 'settled')
  })

  it('gets the same rejection after the current result was decided again', async () => {
    const { scene, late } = await refusedOnce(column, over)
    await must(scene, 'settle') // a new requestId, so this is the platform's latest decision
    expectRefused(await late(), 21)
    await expectWithoutEffect(scene, '9000.00', 'settled')
  })

  it('gets code 20 of a lock that has been removed since', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'settled')
    await locked(scene)
    expectRefused(await deliver(scene, column, over), 20)
    const { message } = sentBefore(scene, column)
    await unlocked(scene)
    await must(scene, 'settle', { amount: 150 })
    expectRefused(await sendCall(scene, column, message), 20)
    await expectWithoutEffect(scene, '1050.00', 'settled')
  })

  it('gets the same rejection after any number of unsettles and a rollback', async () => {
    const { scene, late } = await refusedOnce(column, over)
    await must(scene, 'unsettle')
    expectRefused(await late(), 21)
    await must(scene, 'rollback')
    expectRefused(await late(), 21)
    await expectWithoutEffect(scene, '8850.00', 'cancelled')
  })

  it('is decided again until another result is acknowledged: the player has money again (L-2)', async () => {
    const { scene, late, inForce } = await refusedOnce(column, over)
    expectRefused(await deliver(scene, 'rollback'), 8)
    // a late copy is no new decision
    expectDone(await sendCall(scene, 'settle', inForce), scene.betId)
    expectDone(await late(), scene.betId)
    await expectWithoutEffect(
      scene,
      column === 'settle' ? '8770.00' : '8750.00',
      column === 'settle' ? 'settled' : 'open',
    )
  })

  it('is a late repeat with the time of its success if it was accepted in the end', async () => {
    const { scene, late } = await refusedOnce(column, over)
    const accepted = await late()
    wallet.clock.advance(1_000)
    await must(scene, 'settle', { amount: 150 })
    expect(timeOf(await late())).toBe(timeOf(accepted))
    await expectWithoutEffect(scene, '8900.00', 'settled')
  })

  it('is a new call with other content, or under another requestId', async () => {
    const { scene, message } = await refusedOnce(column, over)
    await must(scene, 'settle', { amount: 150 })
    expectDone(await sendCall(scene, column, { ...message, amount: 30 }), scene.betId)
    await must(scene, 'settle', { amount: 150 })
    expectDone(await sendCall(scene, column, { ...message, requestId: randomUUID() }), scene.betId)
  })
})

describe('one requestId (I-2, I-6)', () => {
  it.each([
    ['place', 'settle', 'rollback'],
    ['settle', 'unsettle', 'rollback'],
  ] as const)('identifies three calls when %s, %s and %s of one bet use it', async (...columns) => {
    const scene = await newScene(wallet)
    const requestId = randomUUID()
    const balances = { place: '900.00', settle: '1150.00', unsettle: '900.00', rollback: '1000.00' }
    for (const column of ['place', 'settle', 'unsettle', 'rollback'] as const) {
      const over = columns.some((one) => one === column) ? { requestId } : {}
      expectDone(await deliver(scene, column, over), scene.betId)
      expect(await balanceOf(scene)).toBe(balances[column])
    }
  })

  it('used for two bets identifies two bets, two settlements and two rollbacks', async () => {
    const first = await newScene(wallet)
    const second = nextBet(first)
    const requestId = randomUUID()
    await must(first, 'place', { requestId })
    await must(second, 'place', { requestId })
    expect(await balanceOf(first)).toBe('800.00')
    await must(first, 'settle', { requestId })
    await must(second, 'settle', { requestId })
    expect(await balanceOf(first)).toBe('1300.00')
    const another = randomUUID() // the requestId of the Place bet is never an Unsettle's (S-5)
    await must(first, 'unsettle', { requestId: another })
    await must(second, 'unsettle', { requestId: another })
    await must(first, 'rollback', { requestId })
    await must(second, 'rollback', { requestId })
    expect(await balanceOf(first)).toBe('1000.00')
  })
})
