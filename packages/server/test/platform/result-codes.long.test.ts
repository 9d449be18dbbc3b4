/**
 * Some reply codes end the delivery of a result. After all other codes the result stays owed and is
 * retried (C-5).
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import type { BetDetail } from '../support/platform.ts'
import { refusal } from '../support/scripted-wallet.ts'
import { startWallet } from '../support/wallet.ts'
import { type Scene, startScene } from './scene.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())
beforeEach(async () => {
  // the test advances the clock by days, and a frame session lasts one (C-17)
  Object.assign(scene, { frame: await scene.api.loadFrame(scene.partnerId) })
})

async function acceptedBet(): Promise<string> {
  const { betId, status } = await scene.api.place(scene.frame)
  expect(status).toBe('accepted')
  return betId
}

async function deliveriesOf(betId: string): Promise<BetDetail['deliveries']> {
  return (await scene.api.bet(betId)).deliveries.slice(1)
}

test.each([1, 3, 4, 8, 100, 999, 2 ** 40])(
  'status 400 with code %i does not end a result: it is retried, and the code is shown (C-5)',
  async (code) => {
    const betId = await acceptedBet()
    scene.wallet.next('settle', refusal(code, 'not now'), refusal(code, 'not now'))
    scene.wallet.next('unsettle', refusal(code))
    await scene.api.settle(betId, 'won', '25.00')
    await scene.time.settle()
    const shown = code < 2 ** 31 ? { code } : {}
    expect(await deliveriesOf(betId)).toMatchObject([{ status: 'pending', attempts: 1, error: 'not now', ...shown }])
    await scene.time.advance(MINUTE_MS)
    await scene.api.unsettle(betId)
    await scene.time.advance(MINUTE_MS)
    expect((await deliveriesOf(betId)).map((d) => [d.operation, d.status, d.attempts, d.code])).toEqual([
      ['settle', 'done', 3, undefined],
      ['unsettle', 'done', 2, undefined],
    ])
    expect(new Set(scene.wallet.of('settle', betId).map((r) => r.text)).size).toBe(1)
  },
)

async function owedBets(): Promise<number> {
  await scene.time.advance(6_000) // a count is cached for 5 s
  const { body } = await scene.api.request('GET', '/metrics')
  return Number(/^platform_bets_owed (.*)$/m.exec(String(body))?.[1])
}

test('the gauges count owed deliveries: rejected, stuck, and in retry after a 400 (C-9)', async () => {
  const before = await owedBets()
  const [refused, stuck, tried, later] = await Promise.all([1, 2, 3, 4].map(acceptedBet))
  scene.wallet.next('settle', refusal(20))
  await scene.api.settle(refused ?? '', 'won', '25.00')
  scene.wallet.next('place', refusal(7))
  await scene.api.place(scene.frame) // a declined bet owes nothing
  expect(await owedBets()).toBe(before + 1)
  scene.wallet.always('settle', refusal(1))
  await scene.api.settle(tried ?? '', 'won', '25.00')
  expect(await owedBets()).toBe(before + 2)
  await scene.api.settle(stuck ?? '', 'won', '25.00')
  for (let hour = 0; hour < 48; hour++) await scene.time.leap(HOUR_MS)
  expect(await owedBets()).toBe(before + 3)
  scene.wallet.always('settle', {})
  await scene.api.settle(refused ?? '', 'won', '26.00')
  await scene.api.settle(later ?? '', 'won', '25.00')
  for (const { deliveryId } of await scene.api.deliveries('?status=stuck'))
    await scene.api.request('POST', `/deliveries/${deliveryId}/retry`)
  await scene.time.settle()
  expect(await owedBets()).toBe(0)
})

test.each([3, 4])('status 400 with code %i ends a cashout, and no other result (C-5)', async (code) => {
  const betId = await acceptedBet()
  scene.wallet.next('settle', refusal(code))
  await scene.api.settle(betId, 'cashout', '7.00')
  await scene.time.advance(10 * MINUTE_MS)
  expect(await deliveriesOf(betId)).toMatchObject([{ status: 'refused', attempts: 1, code }])
})

test('a result that is answered with another code for a day is stuck with that code (C-5)', async () => {
  const betId = await acceptedBet()
  scene.wallet.always('settle', refusal(1, 'Invalid signature'))
  await scene.api.settle(betId, 'won', '25.00')
  for (let hour = 0; hour < 48; hour++) await scene.time.leap(HOUR_MS)
  expect(await deliveriesOf(betId)).toMatchObject([{ status: 'stuck', code: 1, error: 'Invalid signature' }])
  scene.wallet.always('settle', {})
})

test('a temporarily wrong secret loses no payout (C-5)', async () => {
  const own = await startWallet()
  try {
    const partnerId = await scene.api.savePartner(own)
    const players = await Promise.all(Array.from({ length: 20 }, () => playerWithMoney(own.operator, '10.00')))
    const slip = { amount: '10.00', selections: [{ eventId: 'final', outcomeId: 'home', coefficient: '2.1' }] }
    for (const { token } of players) await scene.api.place(await scene.api.loadFrame(partnerId, token), slip)
    await scene.api.savePartner({ url: own.url, secret: 'mistyped' }, partnerId)
    expect(await scene.api.results('final', { home: 'won' })).toBe(players.length)
    await scene.time.advance(2_500)
    await scene.api.savePartner(own, partnerId)
    await scene.time.advance(MINUTE_MS)
    for (const { userId } of players) expect(await own.operator.balance(userId)).toBe('21.00')
    await own.auditIsClean()
  } finally {
    await own.stop()
  }
})
