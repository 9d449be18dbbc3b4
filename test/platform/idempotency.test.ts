/** A POST /bets that is sent again with its idempotency key: one bet, one Place bet, one answer. */
import { randomUUID } from 'node:crypto'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal, status } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

function wish(over: Record<string, unknown> = {}): Record<string, unknown> {
  const selections = [{ eventId: randomUUID(), outcomeId: 'home', coefficient: '2.5' }]
  return { frameSessionId: scene.frame, amount: '10', selections, idempotencyKey: randomUUID(), ...over }
}

const submit = (bet: object | string) => scene.api.request('POST', '/bets', bet)
const places = () => scene.wallet.of('place').length

test.each([
  ['accepted', {}],
  ['declined', refusal(7)],
  ['cancelled', status(500)],
])('the same again is the same answer, of a bet that was %s', async (state, script) => {
  const bet = wish()
  scene.wallet.next('place', script)
  const first = await submit(bet)
  const before = places()
  const second = await submit(bet)
  expect([second.status, second.body]).toEqual([201, first.body])
  expect(first.body).toMatchObject({ status: state })
  expect(places()).toBe(before)
})

test.each([
  ['another amount', { amount: '11' }],
  ['another selection', { selections: [{ eventId: 'other', outcomeId: 'home', coefficient: '2.5' }] }],
  ['one member more', { info: 'more' }],
])('the same key with %s is 422 and calls nobody', async (_what, over) => {
  const bet = wish()
  await submit(bet)
  const before = places()
  const { status, body } = await submit({ ...bet, ...over })
  expect([status, body]).toEqual([422, expect.objectContaining({ code: 'idempotency_key_reused' })])
  expect(places()).toBe(before)
})

test('while the first is still being placed the same again is 409', async () => {
  const bet = wish()
  let answer = () => {}
  scene.wallet.next('place', { hold: new Promise<void>((resolve) => (answer = resolve)) })
  const before = places()
  const first = submit(bet)
  await scene.wallet.seen('place', before + 1)
  const second = await submit(bet)
  expect([second.status, second.body]).toEqual([409, expect.objectContaining({ code: 'still_running' })])
  expect((await submit({ ...bet, amount: '11' })).status).toBe(422)
  answer()
  expect((await first).status).toBe(201)
  expect((await submit(bet)).body).toEqual((await first).body)
  expect(places()).toBe(before + 1)
})

test('of ten at the same moment one is placed', async () => {
  const bet = wish()
  const before = places()
  const replies = await Promise.all(Array.from({ length: 10 }, () => submit(bet)))
  expect(places()).toBe(before + 1)
  expect(replies.filter((reply) => reply.status !== 201 && reply.status !== 409)).toEqual([])
  const ids = replies.filter((reply) => reply.status === 201).map(({ body }) => (body as { betId: string }).betId)
  expect(new Set(ids).size).toBe(1)
})

test('the members in another order are the same content', async () => {
  const bet = wish()
  const first = await submit(bet)
  const second = await submit(Object.fromEntries(Object.entries(bet).reverse()))
  expect([second.status, second.body]).toEqual([201, first.body])
})

test('without a key, and with two keys, two equal wishes are two bets', async () => {
  const bet = wish({ idempotencyKey: undefined })
  const before = places()
  await submit(bet)
  await submit(bet)
  await submit({ ...bet, idempotencyKey: 'one-key' })
  await submit({ ...bet, idempotencyKey: 'another-key' })
  expect(places()).toBe(before + 4)
})

test('two partners may use the same key', async () => {
  const other = await scene.platform.partner()
  const frameSessionId = await scene.api.loadFrame(other.partnerId)
  const bet = wish()
  const [mine, theirs] = [await submit(bet), await submit({ ...bet, frameSessionId })]
  expect([mine.status, theirs.status]).toEqual([201, 201])
  expect(other.wallet.of('place')).toHaveLength(1)
})

test('after the bet was settled the answer is still that it was accepted', async () => {
  const bet = wish()
  const first = await submit(bet)
  const { betId } = first.body as { betId: string }
  await scene.api.settle(betId, 'won', '25')
  await scene.time.settle()
  expect((await submit(bet)).body).toEqual(first.body)
})

describe('the header Idempotency-Key', () => {
  async function submitWith(key: string, bet: object) {
    const headers = {
      authorization: `Bearer ${scene.platform.key}`,
      'content-type': 'application/json',
      'Idempotency-Key': key,
    }
    const reply = await request(`${scene.platform.url}/bets`, { method: 'POST', headers, body: JSON.stringify(bet) })
    return { status: reply.statusCode, body: await reply.body.json() }
  }

  test('says the same as the member: either repeats the other, and both may be there', async () => {
    const { idempotencyKey, ...bet } = wish()
    const key = String(idempotencyKey)
    const before = places()
    const first = await submitWith(key, bet)
    expect(first).toMatchObject({ status: 201, body: { status: 'accepted' } })
    expect((await submit({ ...bet, idempotencyKey })).body).toEqual(first.body)
    expect(await submitWith(key, { ...bet, idempotencyKey })).toEqual(first)
    expect(await submitWith(key, { ...bet, amount: '11' })).toMatchObject({ status: 422 })
    expect(places()).toBe(before + 1)
  })

  test.each([
    ['another key than the member', 'key-1', { idempotencyKey: 'key-2' }, '/idempotencyKey'],
    ['129 characters', 'k'.repeat(129), { idempotencyKey: undefined }, '/headers/idempotency-key'],
  ])('with %s is a 400 and calls nobody', async (_what, key, over, pointer) => {
    const before = places()
    const reply = await submitWith(key, wish(over))
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } })
    expect(places()).toBe(before)
  })
})
