/**
 * The owed money of a bet (C-9) is the last decision minus the amount that the partner has
 * acknowledged.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { refusal, reset, type ScriptedOperation } from '../support/scripted-wallet.ts'
import type { Json } from '../support/wire.ts'
import { type Scene, startScene } from './scene.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())
beforeEach(async () => {
  const { wallet, partnerId } = await scene.platform.partner()
  Object.assign(scene, { wallet, partnerId, frame: await scene.api.loadFrame(partnerId) })
})

/** A bet of 10.00 with this acknowledged payout. */
async function paid(payout: string): Promise<string> {
  const { betId } = await scene.api.place(scene.frame)
  await scene.api.settle(betId, 'won', payout)
  await scene.time.advance(SECOND_MS)
  return betId
}

/** Makes a decision that the partner rejects with this code, once or from now on. */
async function refused(operation: ScriptedOperation, code: number, decide: () => Promise<unknown>, always = false) {
  if (always) scene.wallet.always(operation, refusal(code))
  else scene.wallet.next(operation, refusal(code))
  await decide()
  await scene.time.advance(SECOND_MS)
}

async function owed(): Promise<(string | undefined)[][]> {
  const list = await scene.api.deliveries(`?needsAttention=true&partnerId=${scene.partnerId}&limit=500`)
  return list.map(({ operation, owedAmount }) => [operation, owedAmount])
}

async function sums() {
  const partners = await scene.api.request('GET', '/partners?limit=500')
  const { data } = partners.body as { data: { partnerId: string; owed: Json }[] }
  return data.find(({ partnerId }) => partnerId === scene.partnerId)?.owed
}

test('a rejected correction owes the difference, with its direction', async () => {
  const { api } = scene
  for (const payout of ['0.00', '230.00']) {
    const betId = await paid('222.40')
    await refused('settle', 21, () => api.settle(betId, 'won', payout))
  }
  const unsettled = await paid('19.50')
  await refused('unsettle', 21, () => api.unsettle(unsettled))
  await refused('settle', 20, async () => api.settle((await api.place(scene.frame)).betId, 'won', '21.00'))
  expect(await owed()).toEqual([
    ['settle', '21.00'],
    ['unsettle', '-19.50'],
    ['settle', '7.60'],
    ['settle', '-222.40'],
  ])
  const money = { currency: 'EUR', amount: '270.50', takeBack: '241.90' }
  const dry = await api.request('POST', '/deliveries/retry', { partnerId: scene.partnerId, dryRun: true })
  expect(dry.body).toMatchObject({ count: 4, money: [money] })
  expect(await sums()).toEqual([{ ...money, deliveries: 4 }])
})

test('a decision after a delivery in retry changes the owed amount', async () => {
  const { api } = scene
  const { betId: lost } = await api.place(scene.frame)
  await refused('settle', 1, () => api.settle(lost, 'won', '222.40'), true)
  expect(await owed()).toEqual([['settle', '222.40']])
  await api.settle(lost, 'lost', '0.00')
  expect(await owed()).toEqual([['settle', '0.00']])
  await api.settle(lost, 'won', '7.00')
  await scene.time.advance(SECOND_MS)
  expect(await owed()).toEqual([['settle', '7.00']])
})

test('a payout that is to be taken back, and then has another amount, owes the difference', async () => {
  const betId = await paid('20.00')
  await refused('unsettle', 1, () => scene.api.unsettle(betId), true)
  expect(await owed()).toEqual([['unsettle', '-20.00']])
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.advance(SECOND_MS)
  expect(await owed()).toEqual([['unsettle', '5.00']])
  expect(await sums()).toEqual([{ currency: 'EUR', amount: '5.00', takeBack: '0.00', deliveries: 1 }])
})

test('a bet whose payout was not taken back cannot be cancelled, because the partner would keep it paid (W-46)', async () => {
  const { api, wallet, time } = scene
  const betId = await paid('20.00')
  await refused('unsettle', 21, () => api.unsettle(betId))
  const cancel = () => api.request('POST', `/bets/${betId}/cancel`, { errorCode: 50 })
  expect((await cancel()).status).toBe(409)
  expect(await owed()).toEqual([['unsettle', '-20.00']])
  const [line] = await api.deliveries(`?needsAttention=true&partnerId=${scene.partnerId}`)
  await api.request('POST', `/deliveries/${line?.deliveryId}/retry`)
  await time.advance(SECOND_MS)
  expect(await owed()).toEqual([])
  expect((await cancel()).status).toBe(202)
  await time.advance(SECOND_MS)
  expect(wallet.of('rollback', betId)).toHaveLength(1)
})

test('a Rollback after a rejected Unsettle is held back until the partner takes the result back (W-46)', async () => {
  const { api, wallet, time } = scene
  const betId = await paid('25.00')
  wallet.next('unsettle', reset, refusal(21), refusal(20))
  await api.unsettle(betId)
  await time.settle()
  await api.cancel(betId, 50)
  await time.advance(MINUTE_MS)
  expect(wallet.of('unsettle', betId)).toHaveLength(2)
  // The player must get 10.00 back, but has 25.00 of the result.
  expect(await owed()).toEqual([['unsettle', '-15.00']])
  const [line] = await api.deliveries(`?needsAttention=true&partnerId=${scene.partnerId}`)
  const again = () => api.request('POST', `/deliveries/${line?.deliveryId}/retry`)
  await again()
  await time.advance(SECOND_MS)
  expect(await owed()).toEqual([['unsettle', '-15.00']])
  expect(wallet.of('rollback', betId)).toEqual([])
  await again()
  await time.advance(SECOND_MS)
  expect(wallet.of('rollback', betId)).toHaveLength(1)
  expect(await owed()).toEqual([])
})

test('a Rollback after an unacknowledged result is held back in the same way', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  wallet.next('settle', reset)
  wallet.next('unsettle', refusal(21))
  await api.settle(betId, 'won', '20.00')
  await time.settle()
  await api.unsettle(betId)
  await api.cancel(betId, 50)
  await time.advance(MINUTE_MS)
  expect(await owed()).toEqual([['unsettle', '-10.00']])
  expect(wallet.of('rollback', betId)).toEqual([])
})

test('an Unsettle of a result that the partner never had holds nothing back', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  await refused('settle', 5, () => api.settle(betId, 'won', '20.00'))
  wallet.next('unsettle', reset, refusal(5))
  await api.unsettle(betId)
  await time.settle()
  await api.cancel(betId, 50)
  await time.advance(MINUTE_MS)
  expect(wallet.of('rollback', betId)).toHaveLength(1)
})

test('a bet cannot be cancelled if the partner may have a result whose answer was lost and whose repeat was rejected (W-46)', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  wallet.next('settle', reset, refusal(4))
  await cashOut(betId)
  await time.advance(MINUTE_MS)
  expect((await api.bet(betId)).status).toBe('accepted')
  const cancel = () => api.request('POST', `/bets/${betId}/cancel`, { errorCode: 50 })
  expect((await cancel()).status).toBe(409)
  // A later acknowledgement shows the state of the partner.
  await api.settle(betId, 'refund', '10.00')
  await time.advance(SECOND_MS)
  await api.unsettle(betId)
  await time.advance(SECOND_MS)
  expect((await cancel()).status).toBe(202)
})

test('a Rollback after a rejected Unsettle waits while the partner may have the result (W-46)', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  wallet.next('settle', reset, refusal(20))
  await api.settle(betId, 'won', '25.00')
  await time.advance(MINUTE_MS)
  wallet.next('unsettle', reset, refusal(21))
  await api.unsettle(betId)
  await time.settle()
  await api.cancel(betId, 50)
  await time.advance(MINUTE_MS)
  expect(wallet.of('rollback', betId)).toEqual([])
  expect((await owed()).map(([operation]) => operation)).toEqual(['unsettle'])
})

for (const code of [8, 100])
  test(`a bet cannot be cancelled after an attempt of its rejected result was answered with the ambiguous code ${code} (W-46)`, async () => {
    const { api, wallet, time } = scene
    const { betId } = await api.place(scene.frame)
    wallet.next('settle', refusal(code), refusal(20))
    await api.settle(betId, 'won', '25.00')
    await time.advance(MINUTE_MS)
    await refused('unsettle', 5, () => api.unsettle(betId))
    expect((await api.request('POST', `/bets/${betId}/cancel`, { errorCode: 50 })).status).toBe(409)
  })

test('a bet whose payout may not have been taken back cannot be cashed out', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  wallet.next('settle', reset, refusal(20))
  await api.settle(betId, 'won', '25.00')
  await time.advance(MINUTE_MS)
  await refused('unsettle', 21, () => api.unsettle(betId))
  expect((await cashOut(betId)).status).toBe(409)
})

const cashOut = (betId: string) =>
  scene.api.request('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount: '8.00' })

test('a bet whose payout was not taken back cannot be cashed out, because its owed amount would be lost', async () => {
  const betId = await paid('25.00')
  await refused('unsettle', 21, () => scene.api.unsettle(betId))
  expect((await cashOut(betId)).status).toBe(409)
  expect(await owed()).toEqual([['unsettle', '-25.00']])
})

test('a cashout that is rejected after a rejected Unsettle takes the result back once more, and owes it', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  wallet.next('settle', reset, {}, refusal(4))
  wallet.next('unsettle', refusal(21), refusal(21))
  await api.settle(betId, 'won', '25.00')
  await time.settle()
  await api.unsettle(betId)
  expect((await cashOut(betId)).status).toBe(202)
  await time.advance(MINUTE_MS)
  expect(await owed()).toEqual([['unsettle', '-25.00']])
  expect(wallet.of('unsettle', betId).map(({ body }) => body.amount)).toEqual([25, 25])
  const [line] = await api.deliveries(`?needsAttention=true&partnerId=${scene.partnerId}`)
  await api.request('POST', `/deliveries/${line?.deliveryId}/retry`)
  await time.advance(SECOND_MS)
  expect(await owed()).toEqual([])
  expect((await api.bet(betId)).status).toBe('accepted')
})

test('a rejected cashout takes the result back if the partner may have it because its answer was lost', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  wallet.next('settle', reset, refusal(20), refusal(4))
  wallet.next('unsettle', refusal(21), refusal(21))
  await api.settle(betId, 'won', '25.00')
  await time.settle()
  await api.unsettle(betId)
  expect((await cashOut(betId)).status).toBe(202)
  await time.advance(MINUTE_MS)
  expect((await owed()).map(([operation]) => operation)).toEqual(['unsettle'])
  expect(wallet.of('unsettle', betId).map(({ body }) => body.amount)).toEqual([25, 25])
})
