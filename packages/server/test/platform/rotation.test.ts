/**
 * The secret of a partner can change during operation: no call is permanently rejected or applied
 * twice (C-13).
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal, reset, status } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

const OLD = 'the-secret-of-the-scripted-partner'
const NEW = 'the-new-secret-of-the-scripted-partner'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.stop())

const change = (over: object) =>
  scene.api.request('PUT', `/partners/${scene.partnerId}`, { baseUrl: scene.wallet.url, ...over })

async function rotate(...accepts: string[]): Promise<void> {
  scene.wallet.accepts = accepts
  expect((await change({ secrets: [NEW, OLD] })).status).toBe(200)
}

test('each secret of a change is tried, and each result is shown', async () => {
  scene.wallet.accepts = [OLD]
  scene.wallet.always('profile', refusal(3, 'Invalid token'))
  const { status: answered, body } = await change({ secrets: [NEW, OLD] })
  expect(answered).toBe(200)
  expect(body).toMatchObject({
    tried: { signature: 'refused', code: 1 },
    otherProbes: [{ signature: 'accepted', code: 3 }],
  })
})

test('while the partner knows only the old secret no call is rejected, and the new one signs when it is known', async () => {
  await rotate(OLD)
  const first = await scene.api.place(scene.frame)
  expect(first).toMatchObject({ status: 'accepted' })
  await scene.api.settle(first.betId, 'won', '25.00')
  await scene.time.settle()
  const { deliveries } = await scene.api.bet(first.betId)
  expect(deliveries.map(({ operation, status, attempts }) => [operation, status, attempts])).toEqual([
    ['place', 'done', 1],
    ['settle', 'done', 1],
  ])
  scene.wallet.accepts = [NEW]
  const second = await scene.api.place(scene.frame)
  expect(second).toMatchObject({ status: 'accepted' })
  await scene.api.cancel(second.betId, 50)
  await scene.time.settle()
  expect(scene.wallet.of('rollback', second.betId)).toHaveLength(1)
  expect(await change({ secrets: [NEW] })).toMatchObject({ body: { tried: { signature: 'accepted' } } })
  expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'accepted' })
})

test('a partner that knows no secret is visible in its last error, a metric, and the owed money', async () => {
  const { betId } = await scene.api.place(scene.frame)
  const other = await scene.api.place(scene.frame)
  scene.wallet.accepts = ['a-third-secret']
  expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'declined' })
  await scene.api.settle(betId, 'won', '25.00')
  await scene.api.cancel(other.betId, 50)
  await scene.time.settle()
  const { body } = await scene.api.request('GET', '/partners')
  expect((body as { data: object[] }).data[0]).toMatchObject({
    ...{ state: 'up', lastError: { error: expect.stringContaining('secret') } },
    owed: [{ currency: 'EUR', deliveries: 2 }],
  })
  const metrics = await (await fetch(`${scene.platform.url}/metrics`)).text()
  expect(metrics).toContain('platform_signatures_refused_total 3\n')
})

test('the repeat has the bytes of the rejected call and another signature', async () => {
  await rotate(OLD)
  const { betId } = await scene.api.place(scene.frame)
  const [refused] = scene.wallet.turnedAway.filter(({ body }) => body.transactionId === betId)
  const [taken] = scene.wallet.of('place', betId)
  expect(taken?.text).toBe(refused?.text)
  expect(taken?.headers['x-sign-jws']).not.toBe(refused?.headers['x-sign-jws'])
})

test('the last accepted secret signs first for a while, so that few calls are rejected first', async () => {
  await rotate(OLD)
  const before = scene.wallet.turnedAway.length
  for (let bet = 0; bet < 10; bet++) await scene.api.place(scene.frame)
  expect(scene.wallet.of('place')).toHaveLength(10)
  expect(scene.wallet.turnedAway.length - before).toBe(1)
})

test('every secret is tried once, then a bet is declined, a result retried later, and a rollback rejected', async () => {
  const { betId } = await scene.api.place(scene.frame)
  const other = await scene.api.place(scene.frame)
  await rotate('a-third-secret')
  const before = scene.wallet.turnedAway.length
  const declined = await scene.api.place(scene.frame)
  expect(declined).toMatchObject({ status: 'declined', reason: 'partner code 1' })
  expect(scene.wallet.turnedAway.length - before).toBe(2)
  await scene.api.settle(betId, 'won', '25.00')
  await scene.api.cancel(other.betId, 50)
  await scene.time.settle()
  const last = async (id: string) => (await scene.api.bet(id)).deliveries.at(-1)
  expect(await last(betId)).toMatchObject({ status: 'pending', code: 1, attempts: 1 })
  expect(await last(other.betId)).toMatchObject({ status: 'refused', code: 1, attempts: 1 })
})

test.each([
  ['another refusal', refusal(7, 'Not enough money'), { status: 'declined', reason: 'partner code 7' }],
  ['a failure', status(500), { status: 'cancelled', reason: 'rollback 52' }],
  ['a broken connection', reset, { status: 'cancelled', reason: 'rollback 52' }],
])('the answer to the last try counts: %s', async (_what, script, placed) => {
  await rotate(OLD)
  scene.wallet.next('place', script)
  expect(await scene.api.place(scene.frame)).toMatchObject(placed)
})

test('a rollback has ten attempts, and at most one of them is signed twice', async () => {
  const { betId } = await scene.api.place(scene.frame)
  await rotate(OLD)
  scene.wallet.always('rollback', status(500))
  const before = scene.wallet.turnedAway.length
  await scene.api.cancel(betId, 50)
  await scene.time.advance(370_000)
  expect(scene.wallet.of('rollback', betId)).toHaveLength(10)
  expect(scene.wallet.turnedAway.length - before).toBeLessThanOrEqual(1)
})

test('a partner has one secret or up to four, never both members, and none is empty', async () => {
  const bad = [
    { secret: NEW, secrets: [OLD] },
    { secrets: [] },
    { secrets: [''] },
    { secrets: [NEW, NEW] },
    { secrets: [1, 2, 3, 4, 5].map((n) => `secret-${n}`) },
  ]
  for (const over of bad) expect((await change(over)).status).toBe(400)
  const nothing = { partnerId: 'without', baseUrl: scene.wallet.url }
  expect((await scene.api.request('POST', '/partners', nothing)).status).toBe(400)
  expect((await scene.api.request('POST', '/partners', { ...nothing, secrets: [NEW, OLD] })).status).toBe(201)
})
