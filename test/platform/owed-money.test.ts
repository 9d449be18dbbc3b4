/** The money of what needs a person (C-9) is what was decided last, without what the partner has acknowledged: nothing of it is told wrongly, nothing disappears. */
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

/** A bet of 10.00 that was settled like this, of which the partner knows. */
async function paid(payout: string): Promise<string> {
  const { betId } = await scene.api.place(scene.frame)
  await scene.api.settle(betId, 'won', payout)
  await scene.time.advance(SECOND_MS)
  return betId
}

/** Decides something that the partner refuses with this code: once, or from now on. */
async function refused(operation: ScriptedOperation, code: number, decide: () => Promise<unknown>, always = false) {
  if (always) scene.wallet.always(operation, refusal(code))
  else scene.wallet.next(operation, refusal(code))
  await decide()
  await scene.time.advance(SECOND_MS)
}

async function owed(): Promise<(string | undefined)[][]> {
  const list = await scene.api.deliveries(`?needsPerson=true&partnerId=${scene.partnerId}&limit=500`)
  return list.map(({ operation, owedAmount }) => [operation, owedAmount])
}

async function sums() {
  const partners = await scene.api.request('GET', '/partners?limit=500')
  const { data } = partners.body as { data: { partnerId: string; owed: Json }[] }
  return data.find(({ partnerId }) => partnerId === scene.partnerId)?.owed
}

test('of a correction it is the difference, with its direction', async () => {
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

test('what is decided behind a delivery that is tried again changes it', async () => {
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

test('a payout that was to be taken back, and is another one now, is their difference', async () => {
  const betId = await paid('20.00')
  await refused('unsettle', 1, () => scene.api.unsettle(betId), true)
  expect(await owed()).toEqual([['unsettle', '-20.00']])
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.advance(SECOND_MS)
  expect(await owed()).toEqual([['unsettle', '5.00']])
  expect(await sums()).toEqual([{ currency: 'EUR', amount: '5.00', takeBack: '0.00', deliveries: 1 }])
})

test('W-46: a bet whose payout was not taken back cannot be cancelled: the partner would say that it is done, and keep it paid', async () => {
  const { api, wallet, time } = scene
  const betId = await paid('20.00')
  await refused('unsettle', 21, () => api.unsettle(betId))
  const cancel = () => api.request('POST', `/bets/${betId}/cancel`, { errorCode: 50 })
  expect((await cancel()).status).toBe(409)
  expect(await owed()).toEqual([['unsettle', '-20.00']])
  const [line] = await api.deliveries(`?needsPerson=true&partnerId=${scene.partnerId}`)
  await api.request('POST', `/deliveries/${line?.deliveryId}/retry`)
  await time.advance(SECOND_MS)
  expect(await owed()).toEqual([])
  expect((await cancel()).status).toBe(202)
  await time.advance(SECOND_MS)
  expect(wallet.of('rollback', betId)).toHaveLength(1)
})

test('W-46: a Rollback that waits behind an Unsettle which is refused is held back, until the partner takes the result back', async () => {
  const { api, wallet, time } = scene
  const betId = await paid('25.00')
  wallet.next('unsettle', reset, refusal(21), refusal(20))
  await api.unsettle(betId)
  await time.settle()
  await api.cancel(betId, 50)
  await time.advance(MINUTE_MS)
  expect(wallet.of('unsettle', betId)).toHaveLength(2)
  // 10.00 are to go back to the player, who has 25.00 of the result.
  expect(await owed()).toEqual([['unsettle', '-15.00']])
  const [line] = await api.deliveries(`?needsPerson=true&partnerId=${scene.partnerId}`)
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

test('one that waits behind a result which was not acknowledged is held back in the same way', async () => {
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

test('W-46: nor while the partner may have a result: it was applied, its answer was lost, and its repeat was refused', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  wallet.next('settle', reset, refusal(4))
  await cashOut(betId)
  await time.advance(MINUTE_MS)
  expect((await api.bet(betId)).status).toBe('accepted')
  const cancel = () => api.request('POST', `/bets/${betId}/cancel`, { errorCode: 50 })
  expect((await cancel()).status).toBe(409)
  // What the partner acknowledges of the bet later says what it has.
  await api.settle(betId, 'refund', '10.00')
  await time.advance(SECOND_MS)
  await api.unsettle(betId)
  await time.advance(SECOND_MS)
  expect((await cancel()).status).toBe(202)
})

test('W-46: a Rollback behind an Unsettle that is refused waits while the partner may have the result', async () => {
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
  test(`W-46: nor while an earlier attempt of the refused result was answered 400 with code ${code}, which is neither yes nor no`, async () => {
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

test('a bet whose payout was not taken back cannot be cashed out: the mark on the money would go', async () => {
  const betId = await paid('25.00')
  await refused('unsettle', 21, () => scene.api.unsettle(betId))
  expect((await cashOut(betId)).status).toBe(409)
  expect(await owed()).toEqual([['unsettle', '-25.00']])
})

test('a cashout that is refused behind an Unsettle which was refused too: the result is taken back once more, and is owed', async () => {
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
  const [line] = await api.deliveries(`?needsPerson=true&partnerId=${scene.partnerId}`)
  await api.request('POST', `/deliveries/${line?.deliveryId}/retry`)
  await time.advance(SECOND_MS)
  expect(await owed()).toEqual([])
  expect((await api.bet(betId)).status).toBe('accepted')
})

test('so it is when the partner may have the result: its answer was lost', async () => {
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
