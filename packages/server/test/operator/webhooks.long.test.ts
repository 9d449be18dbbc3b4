/**
 * Webhooks (W-42) are signed as in Standard Webhooks and keep each player's events in order. They
 * can be retried, replayed and disabled.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { buildWebhookHeaders } from '../../src/core/webhooks/webhook-signature.ts'
import { type Consumer, startConsumer, verifies, type WebhookMessage } from '../support/consumer.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { readFeed } from './feed-reader.ts'

const DAY_MS = 86_400_000
let wallet: TestWallet
let consumer: Consumer
let hooks = 0

beforeAll(async () => {
  wallet = await startWallet()
})
afterEach(async () => {
  if (hooks === 0) return
  await ask('DELETE', '')
  await consumer.close()
  await wallet.auditIsClean()
})
afterAll(() => wallet.stop())

const path = () => `/operator/webhooks/hook-${hooks}`

async function ask(method: string, what: string, body?: object) {
  const { status, body: answer } = await wallet.operator.request(method, path() + what, body)
  return { status, ...(answer as JsonObject) } as { status: number } & Record<string, string>
}

async function subscribe(over: object = {}) {
  hooks += 1
  consumer = await startConsumer()
  const made = await ask('PUT', '', { url: consumer.url, ...over })
  expect(made.status, JSON.stringify(made)).toBe(201)
  return made as typeof made & { secret: string }
}

const bet = ({ userId, token }: { userId: string; token: string }, amount = 1) =>
  wallet.wire.place({ userId, token, transactionId: randomUUID(), amount })

async function state(): Promise<string | undefined> {
  return (await ask('GET', '')).state
}

test('a webhook has the headers of the specification’s own example', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' }
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  expect(buildWebhookHeaders(message, [secret], new Date(1_614_265_330_000))).toMatchObject({
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('a webhook sends every event of the feed, signed, with an id of its own', async () => {
  const { secret, doneTo } = await subscribe()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  await bet(await playerWithMoney(wallet.operator))
  const deliveries = await consumer.until(5)
  const { events } = await readFeed(wallet.operator, doneTo)
  expect(deliveries.map(({ data }) => data)).toEqual(events)
  for (const one of deliveries) {
    const id = `evt_${one.data.id}_${Date.parse(one.data.at)}`
    expect(one).toMatchObject({ type: one.data.event, headers: { 'webhook-id': id } })
    expect(JSON.parse(one.text).timestamp).toBe(one.data.at)
    expect(verifies(secret, one)).toEqual([true])
  }
  await expect.poll(async () => (await ask('GET', '')).doneTo).toBe(events.at(-1)?.id)
  expect(await ask('GET', '')).not.toHaveProperty('secret')
})

test('a webhook keeps its last attempts with their answers, newest first, under the next lease holder too', async () => {
  await subscribe({ events: ['bet.placed'] })
  let refused = 0
  consumer.answer = () => (refused++ === 0 ? 503 : 200)
  const player = await playerWithMoney(wallet.operator)
  await bet(player)
  const [delivery] = await consumer.until(1)
  const attempts = async () =>
    (await ask('GET', '/attempts')).data as unknown as { event: string; name: string; httpStatus: number }[]
  const line = { event: delivery?.data.id, name: 'bet.placed' }
  const both = [
    { ...line, httpStatus: 200 },
    { ...line, httpStatus: 503, error: 'answered 503' },
  ]
  await expect.poll(attempts).toMatchObject(both)
  expect((await attempts())[0]).not.toHaveProperty('error')
  expect((await ask('PUT', '', { url: consumer.url })).status, 'takes the claim away').toBe(200)
  await bet(player)
  await expect.poll(async () => (await attempts()).slice(-2)).toMatchObject(both)
  await expect.poll(async () => (await attempts()).length).toBeGreaterThan(2)
})

test('a webhook sends only the selected events', async () => {
  await subscribe({ events: ['balance.changed'] })
  await bet(await playerWithMoney(wallet.operator))
  const deliveries = await consumer.until(2)
  expect(deliveries.map(({ type }) => type)).toEqual(['balance.changed', 'balance.changed'])
})

test('a webhook repeats a refused event with the same id, and only the player’s later events wait', async () => {
  await subscribe({ events: ['bet.placed'] })
  const [slow, quick] = [await playerWithMoney(wallet.operator), await playerWithMoney(wallet.operator)]
  const isOf =
    (player: { userId: string }) =>
    ({ data }: Pick<WebhookMessage, 'data'>) =>
      data.bet?.userId === player.userId
  let refused = 0
  consumer.answer = (_type, data) => {
    if (!isOf(slow)({ data }) || refused === 1) return 200
    refused += 1
    return 500
  }
  await bet(slow)
  await bet(slow)
  await bet(quick)
  await consumer.until(1, isOf(quick))
  expect(consumer.messages.filter(isOf(slow)).map(({ status }) => status)).toEqual([500])
  await consumer.until(2, isOf(slow))
  const ids = consumer.messages.filter(isOf(slow)).map(({ headers }) => headers['webhook-id'])
  expect(ids[0]).toBe(ids[1])
  expect(ids).toHaveLength(3)
})

test('a webhook signs with both secrets after a rotation, then with the new one only', async () => {
  const { secret: old } = await subscribe()
  const { status, secret = '' } = await ask('POST', '/rotate', { overlapSeconds: 3_600 })
  expect(status).toBe(201)
  await wallet.operator.createPlayer()
  const [both] = await consumer.until(1)
  expect([verifies(secret, both as never), verifies(old, both as never)]).toEqual([
    [true, false],
    [false, true],
  ])
  wallet.clock.advance(3_600_001)
  await wallet.operator.createPlayer()
  const [, alone] = await consumer.until(2)
  expect([verifies(secret, alone as never), verifies(old, alone as never)]).toEqual([[true], [false]])
})

test('a webhook sends everything again from an event or a time on', async () => {
  const { doneTo } = await subscribe()
  await wallet.operator.createPlayer()
  await consumer.until(1)
  wallet.clock.advance(1_000)
  const from = wallet.clock.now().toISOString()
  await wallet.operator.createPlayer()
  const [first, second] = await consumer.until(2)
  expect((await ask('POST', '/replay', { from })).status).toBe(200)
  expect((await consumer.until(3))[2]?.text).toBe(second?.text)
  expect((await ask('POST', '/replay', { after: doneTo })).status).toBe(200)
  expect((await consumer.until(5)).slice(3).map(({ text }) => text)).toEqual([first?.text, second?.text])
  for (const body of [{}, { after: '1', from }, { after: '99999999' }, { from: '2016-12-31T23:59:60Z' }])
    expect((await ask('POST', '/replay', body)).status).toBe(400)
})

test('a webhook refuses a replay from a future time or from before the stored events, and keeps its position', async () => {
  const { doneTo } = await subscribe()
  wallet.clock.advance(DAY_MS)
  for (let player = 0; player < 2; player++) await wallet.operator.createPlayer()
  await consumer.until(2)
  const sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  await sql.query('delete from purser.change where last_number <= $1', [doneTo]).finally(() => sql.end())
  const done = { doneTo: String(Number(doneTo) + 2) }
  await expect.poll(() => ask('GET', '')).toMatchObject(done)
  for (const [ms, detail] of [
    [1_000, 'is in the future'],
    [-DAY_MS, `may be before the oldest stored event: the feed begins after ${doneTo}`],
  ] as const) {
    const from = new Date(wallet.clock.now().getTime() + ms).toISOString()
    expect(await ask('POST', '/replay', { from })).toMatchObject({
      status: 400,
      errors: [{ pointer: '/from', detail }],
    })
  }
  expect(await ask('GET', '')).toMatchObject(done)
})

test('a webhook that fails is reported, logs a warning after a day, is disabled after five, and continues when it is created again', async () => {
  await subscribe()
  consumer.answer = () => 503
  await wallet.operator.createPlayer()
  await expect.poll(state).toBe('failing')
  expect(await ask('GET', '')).toMatchObject({ lastError: expect.stringMatching(/^event \d+: answered 503$/) })
  wallet.clock.advance(DAY_MS)
  await expect.poll(state).toBe('warned')
  expect(await ask('GET', '')).toHaveProperty('disabledAt')
  const metrics = async () => (await fetch(`${wallet.url}/metrics`)).text()
  await expect.poll(metrics).toContain('wallet_webhooks{state="warned"} 1')
  wallet.clock.advance(4 * DAY_MS)
  await expect.poll(state).toBe('disabled')
  await expect.poll(metrics).toContain('wallet_webhooks{state="disabled"} 1')
  consumer.answer = () => 200
  expect((await ask('PUT', '', { url: consumer.url })).status).toBe(200)
  await consumer.until(1)
  await expect.poll(state).toBe('ok')
})

test('a webhook sends nothing more to a consumer that answers 410', async () => {
  await subscribe()
  consumer.answer = () => 410
  await wallet.operator.createPlayer()
  await expect.poll(state).toBe('disabled')
  expect(consumer.messages).toHaveLength(1)
})

test('a webhook sends a test message at once and returns its result', async () => {
  const { secret } = await subscribe()
  expect(await ask('POST', '/test')).toEqual({ status: 200, delivered: true, httpStatus: 200 })
  expect(consumer.messages).toMatchObject([{ type: 'webhook.test' }])
  expect(verifies(secret, consumer.messages[0] as never)).toEqual([true])
  consumer.answer = () => 301
  expect(await ask('POST', '/test')).toMatchObject({ delivered: false, httpStatus: 301, error: 'answered 301' })
})

test('a webhook with a private address is refused where these are, and so are an unknown event and an invalid URL', async () => {
  await subscribe()
  const guarded = await startWallet({ env: { PURSER_PRIVATE_ADDRESSES: 'refuse' } })
  const put = async (body: object, at = guarded) =>
    (await at.operator.request('PUT', '/operator/webhooks/h', body)).status
  expect(await put({ url: consumer.url })).toBe(400)
  expect(await put({ url: 'http://localhost:1/' })).toBe(400)
  await guarded.stop()
  expect(await put({ url: 'ftp://example.com/' }, wallet)).toBe(400)
  expect(await put({ url: `${consumer.url}/\u0000` }, wallet)).toBe(400)
  expect(await put({ url: consumer.url, events: ['bet.lost'] }, wallet)).toBe(400)
})

test('a webhook that was removed is gone, and its name can be used again with another secret', async () => {
  const { secret } = await subscribe()
  expect((await ask('DELETE', '')).status).toBe(204)
  expect((await ask('GET', '')).status).toBe(404)
  const again = await ask('PUT', '', { url: consumer.url })
  expect(again).toMatchObject({ status: 201, secret: expect.not.stringMatching(secret.replaceAll(/[+/]/g, '.')) })
})
