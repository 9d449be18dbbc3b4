/**
 * A repeated POST /bets with the same idempotency key places one bet, sends one Place bet, and
 * returns the same answer.
 */
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

function betRequest(over: Record<string, unknown> = {}): Record<string, unknown> {
  const selections = [{ eventId: randomUUID(), outcomeId: 'home', coefficient: '2.5' }]
  return { frameSessionId: scene.frame, amount: '10', selections, idempotencyKey: randomUUID(), ...over }
}

const submit = (bet: object | string) => scene.api.request('POST', '/bets', bet)
const places = () => scene.wallet.of('place').length

test.each([
  ['accepted', {}],
  ['declined', refusal(7)],
  ['cancelled', status(500)],
])('a repeat returns the same answer for a bet that was %s', async (state, script) => {
  const bet = betRequest()
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
])('the same key with %s is rejected with 422 and without a call to the partner', async (_what, over) => {
  const bet = betRequest()
  await submit(bet)
  const before = places()
  const { status, body } = await submit({ ...bet, ...over })
  expect([status, body]).toEqual([422, expect.objectContaining({ code: 'idempotency_key_reused' })])
  expect(places()).toBe(before)
})

test('a repeat is rejected with 409 while the first request is in progress', async () => {
  const bet = betRequest()
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

test('exactly one of ten concurrent requests is placed', async () => {
  const bet = betRequest()
  const before = places()
  const replies = await Promise.all(Array.from({ length: 10 }, () => submit(bet)))
  expect(places()).toBe(before + 1)
  expect(replies.filter((reply) => reply.status !== 201 && reply.status !== 409)).toEqual([])
  const ids = replies.filter((reply) => reply.status === 201).map(({ body }) => (body as { betId: string }).betId)
  expect(new Set(ids).size).toBe(1)
})

test('a different order of members is the same content', async () => {
  const bet = betRequest()
  const first = await submit(bet)
  const second = await submit(Object.fromEntries(Object.entries(bet).reverse()))
  expect([second.status, second.body]).toEqual([201, first.body])
})

test('two equal requests without a key, or with two keys, are two bets', async () => {
  const bet = betRequest({ idempotencyKey: undefined })
  const before = places()
  await submit(bet)
  await submit(bet)
  await submit({ ...bet, idempotencyKey: 'one-key' })
  await submit({ ...bet, idempotencyKey: 'another-key' })
  expect(places()).toBe(before + 4)
})

test('two partners can use the same key', async () => {
  const other = await scene.platform.partner()
  const frameSessionId = await scene.api.loadFrame(other.partnerId)
  const bet = betRequest()
  const [mine, theirs] = [await submit(bet), await submit({ ...bet, frameSessionId })]
  expect([mine.status, theirs.status]).toEqual([201, 201])
  expect(other.wallet.of('place')).toHaveLength(1)
})

test('a repeat returns accepted after the bet was settled', async () => {
  const bet = betRequest()
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

  test('equals the member: each repeats the other, and both may be present', async () => {
    const { idempotencyKey, ...bet } = betRequest()
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
  ])('is rejected with 400 and without a call to the partner if it has %s', async (_what, key, over, pointer) => {
    const before = places()
    const reply = await submitWith(key, betRequest(over))
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } })
    expect(places()).toBe(before)
  })
})
