// Bytes of one operation have no effect as another (S-5), although the signature covers neither
// method nor path.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused } from './answers.ts'
import { messageOf, sendText } from './messages.ts'
import { anomaliesOf, balanceOf, type Column, deliver, must, newScene, type Scene, sentBefore } from './scene.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

function recorded(scene: Scene, column: Column): string {
  return JSON.stringify(sentBefore(scene, column).message)
}

describe('the bytes of a Place bet sent with PUT', () => {
  it('take no payout back: code 5 and an anomaly for the operator', async () => {
    const scene = await newScene(wallet)
    await must(scene, 'place', { amount: 10 })
    await must(scene, 'settle', { amount: 500 })
    expectRefused(await wallet.wire.call('PUT', '/payment/bet', recorded(scene, 'place')), 5)
    expect(await balanceOf(scene)).toBe('1490.00')
    const { body } = await wallet.operator.request('GET', '/operator/anomalies?limit=1')
    expect(body).toMatchObject({ data: [{ transactionId: scene.betId, anomaly: 'place_bet_with_put', code: 5 }] })
  })

  it('take no payout back after a repeat of the Place bet under its own requestId', async () => {
    const scene = await newScene(wallet)
    await must(scene, 'place')
    await must(scene, 'place')
    await must(scene, 'settle')
    expectRefused(await wallet.wire.call('PUT', '/payment/bet', recorded(scene, 'place')), 5)
    expect(await balanceOf(scene)).toBe('1150.00')
    expect(await anomaliesOf(scene)).toBe(true)
  })

  it('take no payout back when a repeat followed the Place bet', async () => {
    const scene = await newScene(wallet)
    await must(scene, 'place')
    const first = recorded(scene, 'place')
    await must(scene, 'place')
    await must(scene, 'settle')
    expectRefused(await wallet.wire.call('PUT', '/payment/bet', first), 5)
    expect(await balanceOf(scene)).toBe('1150.00')
  })

  it('take no payout back when that Place bet was rejected and another one was accepted', async () => {
    const scene = await newScene(wallet)
    expectRefused(await deliver(scene, 'place', { token: 'a-token-that-nobody-has' }), 3)
    const refused = recorded(scene, 'place')
    await must(scene, 'place')
    await must(scene, 'settle')
    expectRefused(await wallet.wire.call('PUT', '/payment/bet', refused), 5)
    expect(await balanceOf(scene)).toBe('1150.00')
  })

  it('do not affect another bet: an Unsettle under the same requestId takes effect there (I-6)', async () => {
    const [one, other] = [await newScene(wallet), await newScene(wallet)]
    const requestId = randomUUID()
    await must(one, 'place', { requestId })
    await must(other, 'place')
    await must(other, 'settle')
    expectDone(await deliver(other, 'unsettle', { requestId }), other.betId)
    expect(await balanceOf(other)).toBe('900.00')
  })
})

describe.each(['place', 'settle', 'unsettle', 'rollback'] as const)('the bytes of a %s call', (column) => {
  it.each(['/user/profile', '/user/balance', '/payment/check'])(
    'are rejected with code 5 at %s, and reveal nothing',
    async (path) => {
      const scene = await newScene(wallet)
      await must(scene, 'place')
      const message = { ...messageOf(scene, column), token: scene.token }
      expectRefused(await wallet.wire.call('POST', path, message), 5)
    },
  )
})

it.each([null, 0, 'place', {}])('a member type with the value %j makes a call a bet call', async (type) => {
  const scene = await newScene(wallet)
  await must(scene, 'place')
  for (const name of ['profile', 'balance', 'check'] as const)
    expectRefused(await sendText(scene, name, JSON.stringify({ ...messageOf(scene, name), type })), 5)
})
