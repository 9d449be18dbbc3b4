/**
 * The list of partners shows users the state of each partner and its waiting deliveries. A change
 * of a partner makes a test call.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startPlatform } from '../support/platform.ts'
import { refusal, reset, status } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.stop())

async function partner() {
  const { body } = await scene.api.request('GET', '/partners')
  return (body as { data: object[] }).data[0]
}

/** The unfinished deliveries of the list, the latest first. */
async function outstanding() {
  const { body } = await scene.api.request('GET', '/deliveries?status=pending,waiting&outstanding=true')
  const { data } = body as { data: { operation: string; outstandingAmount?: string; isStakeUnknown?: boolean }[] }
  return data.map(({ operation, outstandingAmount, isStakeUnknown }) => [operation, outstandingAmount, isStakeUnknown])
}

test('a partner is shown as up, down with time and reason, and up again, with its waiting deliveries', async () => {
  const placed = await Promise.all(Array.from({ length: 3 }, () => scene.api.place(scene.frame)))
  const address = { partnerId: scene.partnerId, baseUrl: scene.wallet.url }
  expect(await partner()).toEqual({ ...address, state: 'up', waiting: 0, owed: [], inProgress: [] })
  scene.wallet.always('settle', reset)
  for (const { betId } of placed) await scene.api.settle(betId, 'won', '25.00')
  const { decidedAt } = (await scene.api.deliveries('?operation=settle')).at(-1) ?? {}
  await scene.time.advance(3_000)
  expect(await partner()).toEqual({
    ...{ ...address, state: 'down', waiting: 3, owed: [] },
    inProgress: [{ currency: 'EUR', amount: '75.00', takeBack: '0.00', deliveries: 3, since: decidedAt }],
    since: expect.stringMatching(/Z$/),
    lastError: { at: expect.stringMatching(/Z$/), error: expect.stringMatching(/^network: /) },
  })
  scene.wallet.always('settle', {})
  await scene.time.advance(60_000)
  expect(await partner()).toMatchObject({ ...address, state: 'up', since: expect.any(String), waiting: 0 })
})

test('rejected deliveries of a partner are owed, by currency', async () => {
  const { betId } = await scene.api.place(scene.frame)
  scene.wallet.next('settle', refusal(20, 'blocked'))
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.settle()
  const owed = [{ currency: 'EUR', amount: expect.stringMatching(/^25(\.0+)?$/), deliveries: 1 }]
  expect(await partner()).toMatchObject({ state: 'up', waiting: 0, owed })
})

test('waiting money contains unsent withdrawals, corrections and expired deliveries', async () => {
  const [won, lost, cancelled] = await Promise.all(
    Array.from({ length: 3 }, () => scene.api.place(scene.frame, { amount: '8.00' })),
  )
  await scene.api.settle(won?.betId ?? '', 'won', '25.00')
  await scene.api.settle(lost?.betId ?? '', 'won', '40.00')
  await scene.time.settle()
  for (const operation of ['settle', 'rollback'] as const) scene.wallet.always(operation, reset)
  await scene.api.settle(won?.betId ?? '', 'won', '30.00')
  await scene.api.settle(lost?.betId ?? '', 'lost', '0.00')
  await scene.api.cancel(cancelled?.betId ?? '', 50)
  await scene.time.settle()
  const [sum] = ((await partner()) as { inProgress: object[] }).inProgress
  expect(sum).toMatchObject({ currency: 'EUR', takeBack: '40.00', deliveries: 3 })
  expect(sum).toMatchObject({ amount: '53.00' })
  expect(await outstanding(), 'each line says what it is of the sum').toEqual([
    ['rollback', '8.00', undefined],
    ['settle', '-40.00', undefined],
    ['settle', '5.00', undefined],
  ])
  scene.wallet.always('settle', {})
  scene.wallet.always('rollback', {})
  await scene.time.advance(60_000)
  expect(await partner()).toMatchObject({ waiting: 0, owed: [], inProgress: [] })
})

test('a Rollback of a bet that the partner never acknowledged waits without money, because the debit is unknown', async () => {
  for (const operation of ['place', 'rollback'] as const) scene.wallet.always(operation, reset)
  await scene.api.place(scene.frame, { amount: '8.00' })
  await scene.time.settle()
  expect(await partner()).toMatchObject({ waiting: 1, owed: [], inProgress: [] })
  expect(await outstanding(), 'its line says why it is in no sum').toEqual([['rollback', undefined, true]])
  scene.wallet.always('rollback', {})
  await scene.time.advance(60_000)
})

test('partners are listed in pages, ordered by their ids', async () => {
  for (const partnerId of ['beta', 'alpha', 'gamma']) await scene.api.savePartner(scene.wallet, partnerId)
  const seen: unknown[] = []
  let after = ''
  do {
    const { body } = await scene.api.request('GET', `/partners?limit=2${after}`)
    const { data, next } = body as { data: { partnerId: string }[]; next: string | null }
    seen.push(...data.map(({ partnerId }) => partnerId))
    after = next === null ? '' : `&after=${next}`
  } while (after !== '')
  expect(seen).toEqual([...seen].sort())
  expect(seen).toHaveLength(4)
})

const change = (over: object, partnerId = scene.partnerId) =>
  scene.api.request('PUT', `/partners/${partnerId}`, { baseUrl: scene.wallet.url, ...over })

test.each([
  ['knows the secret', refusal(3, 'Invalid token'), { signature: 'accepted', httpStatus: 400, code: 3 }],
  ['has another secret', refusal(1, 'Bad signature'), { signature: 'refused', httpStatus: 400, code: 1 }],
  ['is ill', status(500), { signature: 'unknown', httpStatus: 500 }],
  ['does not answer', reset, { signature: 'unknown' }],
])('a changed partner is tested with a call: the partner %s', async (_what, script, tried) => {
  scene.wallet.next('profile', script)
  const { status: answered, body } = await change({ secret: scene.wallet.secret })
  expect(answered).toBe(200)
  expect(body).toMatchObject({ partnerId: scene.partnerId, baseUrl: scene.wallet.url, tried })
})

test('a change without a secret keeps it, and the next bet uses the new address', async () => {
  const other = await startPlatform()
  const { wallet } = await other.partner({ secret: scene.wallet.secret })
  wallet.next('profile', refusal(3, 'Invalid token'))
  expect((await change({ baseUrl: wallet.url })).body).toMatchObject({ tried: { signature: 'accepted' } })
  await scene.api.place(scene.frame)
  expect(wallet.of('place')).toHaveLength(1)
  expect(scene.wallet.of('place')).toHaveLength(0)
  await other.stop()
})

test('an unknown partner is rejected with 404 and a faulty address with 400, without a test call', async () => {
  expect((await change({}, 'nobody')).status).toBe(404)
  expect((await change({ baseUrl: 'http://user@127.0.0.1' })).status).toBe(400)
  expect(scene.wallet.tries, 'but when it was added').toHaveLength(1)
})

const add = (over: object) =>
  scene.api.request('POST', '/partners', { partnerId: 'new', baseUrl: scene.wallet.url, secret: 'a-secret', ...over })

test('a new partner is tested like a change, and saved with any result', async () => {
  scene.wallet.accepts = ['a-secret']
  scene.wallet.next('profile', refusal(3, 'Invalid token'))
  const tried = { signature: 'accepted', httpStatus: 400, code: 3, error: 'Invalid token' }
  const known = { partnerId: 'new', baseUrl: scene.wallet.url }
  expect(await add({})).toMatchObject({ status: 201, body: { ...known, tried } })
  expect((await add({ secret: 'another' })).body).toMatchObject({ tried: { signature: 'refused', code: 1 } })
  expect((await add({ secrets: ['another', 'a-secret'], secret: undefined })).body).toMatchObject({
    otherProbes: [{ signature: 'accepted' }],
  })
})

test('a change that drops every earlier secret causes a warning, and no other change does', async () => {
  const warned = async (saved: ReturnType<typeof change>) => 'warning' in ((await saved).body as object)
  const { secret } = scene.wallet
  scene.wallet.accepts = [secret]
  expect(await warned(add({ secret }))).toBe(false)
  expect(await warned(change({ secret }))).toBe(false)
  expect(await warned(change({ secrets: ['the-next-one', secret] }))).toBe(false)
  expect(await warned(change({}))).toBe(false)
  expect(await warned(change({ secret: 'the-next-one' }))).toBe(false)
  expect(await warned(change({ secret: 'one-more' }))).toBe(true)
  expect(await warned(add({ secret: 'one-more' }))).toBe(true)
})
