/**
 * A cashout requires a bet that is open in every respect. A cashout that the partner rejects is
 * reversed (C-8).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { refusal, status } from '../support/scripted-wallet.ts'
import { signal } from '../support/signal.ts'
import { startWallet } from '../support/wallet.ts'
import { type Scene, startScene } from './scene.ts'

const MINUTE_MS = 60_000

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

/** An accepted bet of 10.00 at 2.5, with one new event per leg. */
async function betOn(legs = 1, frame = scene.frame): Promise<{ betId: string; events: string[] }> {
  const events = Array.from({ length: legs }, () => randomUUID())
  const selections = events.map((eventId) => ({ eventId, outcomeId: 'home', coefficient: '2.5' }))
  const { betId } = await scene.api.place(frame, { selections })
  return { betId, events }
}

const cashOut = (betId: string, over: Record<string, unknown> = {}) =>
  scene.api.request('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount: '7.00', ...over })

async function isRefused(betId: string, over: Record<string, unknown> = {}): Promise<void> {
  const { deliveries } = await scene.api.bet(betId)
  const { status, body } = await cashOut(betId, over)
  expect([status, body]).toMatchObject([409, { code: 'not_possible' }])
  await scene.time.settle()
  expect((await scene.api.bet(betId)).deliveries).toHaveLength(deliveries.length)
}

async function frameWith(isCashOutAllowed: boolean): Promise<string> {
  scene.wallet.profile = { userId: 'ada', customFields: { isCashOutAllowed } }
  const frame = await scene.api.loadFrame(scene.partnerId)
  scene.wallet.profile = {}
  return frame
}

/** Status, result and payout of the bet, and the settles that the partner received. */
async function stateOf(betId: string) {
  await scene.time.settle()
  const { status, resultType, payout } = await scene.api.bet(betId)
  const settles = scene.wallet.of('settle', betId).map(({ body }) => `${body.resultType} ${body.amount}`)
  return { bet: [status, resultType, payout], settles }
}

describe('a cashout is rejected', () => {
  test('when the bet has lost', async () => {
    const { betId, events } = await betOn()
    await scene.api.results(events[0] ?? '', { home: 'lost' })
    await isRefused(betId)
    expect(await stateOf(betId)).toEqual({ bet: ['settled', 'lost', '0.00'], settles: ['lost 0'] })
  })

  test('when one selection of an express has a result, also a win', async () => {
    const { betId, events } = await betOn(2)
    await scene.api.results(events[1] ?? '', { home: 'won' })
    await isRefused(betId)
  })

  test('when an event has ended and its result is not known yet', async () => {
    const { betId, events } = await betOn(2)
    await scene.api.event(events[0] ?? '', { status: 'ended' })
    await isRefused(betId)
  })

  test('when the profile forbids it: that of the given session, or else that of the placement', async () => {
    const [allowed, forbidden] = [await frameWith(true), await frameWith(false)]
    const { betId } = await betOn(1, forbidden)
    await isRefused(betId)
    const other = await betOn(1, allowed)
    await isRefused(other.betId, { frameSessionId: forbidden })
    for (const reply of [await cashOut(betId, { frameSessionId: allowed }), await cashOut(other.betId)])
      expect(reply.status).toBe(202)
  })

  test('when the bet was cashed out with another amount, while the same amount is a repeat', async () => {
    const { betId } = await betOn()
    await cashOut(betId)
    await isRefused(betId, { amount: '8.00' })
    expect((await cashOut(betId)).status).toBe(202)
    expect(await stateOf(betId)).toEqual({ bet: ['settled', 'cashout', '7.00'], settles: ['cashout 7'] })
  })

  test('when the bet is settled by hand, cancelled or declined', async () => {
    const [won, cancelled] = [await betOn(), await betOn()]
    await scene.api.settle(won.betId, 'won', '25.00')
    await scene.api.cancel(cancelled.betId, 50)
    scene.wallet.next('place', refusal(7))
    const declined = await betOn()
    for (const { betId } of [won, cancelled, declined]) await isRefused(betId)
  })
})

test('a cashout is accepted while an event is suspended or withdrawn, because the caller offers it', async () => {
  const { betId, events } = await betOn(2)
  await scene.api.event(events[0] ?? '', { status: 'suspended' })
  await scene.api.event(events[1] ?? '', { status: 'withdrawn' })
  expect((await cashOut(betId)).status).toBe(202)
})

describe.each([3, 4, 5, 20])('a cashout that the partner rejects with code %i', (code) => {
  test('is withdrawn: the bet is open again, and its events decide it', async () => {
    const { betId, events } = await betOn()
    scene.wallet.next('settle', refusal(code))
    await cashOut(betId)
    expect(await stateOf(betId)).toEqual({ bet: ['accepted', undefined, undefined], settles: ['cashout 7'] })
    expect(await scene.api.results(events[0] ?? '', { home: 'won' })).toBe(1)
    expect(await stateOf(betId)).toEqual({ bet: ['settled', 'won', '25.00'], settles: ['cashout 7', 'won 25'] })
  })

  test.each(['won', 'lost', 'refund'] as const)(
    'allows a result that arrived during the call to decide the bet: %s',
    async (result) => {
      const { betId, events } = await betOn()
      const answer = signal()
      scene.wallet.next('settle', { hold: answer.given, ...refusal(code) })
      const before = scene.wallet.of('settle').length
      await cashOut(betId)
      await scene.wallet.seen('settle', before + 1)
      expect(await scene.api.results(events[0] ?? '', { home: result })).toBe(0)
      answer.give()
      const decided = { won: ['25.00', 25], lost: ['0.00', 0], refund: ['10.00', 10] } as const
      const [payout, amount] = decided[result]
      await expect.poll(async () => (await stateOf(betId)).bet).toEqual(['settled', result, payout])
      await expect.poll(async () => (await stateOf(betId)).settles).toEqual(['cashout 7', `${result} ${amount}`])
      expect((await scene.api.bet(betId)).deliveries.map((d) => d.status)).toEqual(['done', 'refused', 'done'])
    },
  )
})

test('a rejected cashout cannot be retried by hand, and another one can be requested', async () => {
  const { betId } = await betOn()
  scene.wallet.next('settle', refusal(4))
  await cashOut(betId)
  await scene.time.settle()
  const refused = (await scene.api.bet(betId)).deliveries.at(-1)
  const retried = await scene.api.request('POST', `/deliveries/${refused?.deliveryId}/retry`)
  expect(retried).toMatchObject({ status: 409, body: { code: 'not_stuck' } })
  expect((await cashOut(betId, { amount: '6.50' })).status).toBe(202)
  expect(await stateOf(betId)).toEqual({ bet: ['settled', 'cashout', '6.50'], settles: ['cashout 7', 'cashout 6.5'] })
})

test('a cashout that was withdrawn or replaced by hand takes nothing back when it is rejected', async () => {
  const [withdrawn, replaced] = [await betOn(), await betOn()]
  scene.wallet.next('settle', status(500), status(500), refusal(3), refusal(3))
  for (const { betId } of [withdrawn, replaced]) await cashOut(betId)
  await scene.time.settle()
  await scene.api.unsettle(withdrawn.betId)
  await scene.api.settle(replaced.betId, 'won', '25.00')
  await scene.time.advance(MINUTE_MS)
  expect((await stateOf(withdrawn.betId)).bet).toEqual(['accepted', undefined, undefined])
  expect(await stateOf(replaced.betId)).toMatchObject({ bet: ['settled', 'won', '25.00'] })
  const last = async (betId: string) => (await scene.api.bet(betId)).deliveries.at(-1)
  expect(await last(withdrawn.betId)).toMatchObject({ operation: 'unsettle', status: 'done' })
  expect(await last(replaced.betId)).toMatchObject({ operation: 'settle', status: 'done' })
})

test('our own wallet rejects a cashout with an ended session, and the bet then wins', async () => {
  const wallet = await startWallet()
  try {
    const partnerId = await scene.api.savePartner(wallet)
    const { userId, token } = await playerWithMoney(wallet.operator, '10.00')
    const { betId, events } = await betOn(1, await scene.api.loadFrame(partnerId, token))
    await wallet.operator.switchCurrency(userId, 'USD')
    await cashOut(betId)
    await scene.time.settle()
    expect((await scene.api.bet(betId)).deliveries.at(-1)).toMatchObject({ status: 'refused', code: 4 })
    await scene.api.results(events[0] ?? '', { home: 'won' })
    await scene.time.settle()
    expect(await wallet.operator.balance(userId)).toBe('25.00')
    await wallet.auditIsClean()
  } finally {
    await wallet.stop()
  }
})
