/**
 * The platform's feed returns changes of bets and deliveries as pages, by long poll and as
 * server-sent events.
 */
import { request as send } from 'undici'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal, reset } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

interface Change {
  id: string
  event: string
  at: string
  bet?: Record<string, unknown>
  delivery?: Record<string, unknown>
}

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.stop())

async function changes(query = ''): Promise<{ data: Change[]; next: string }> {
  const { status, body } = await scene.api.request('GET', `/changes${query}`)
  expect(status).toBe(200)
  return body as unknown as { data: Change[]; next: string }
}

const eventsAfter = async (query?: string) => (await changes(query)).data.map(({ event }) => event)

test('the feed contains the life of a bet: accepted, settled, delivered, resettled, unsettled, cancelled', async () => {
  const { betId } = await scene.api.place(scene.frame)
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.settle()
  await scene.api.settle(betId, 'lost', '0.00')
  await scene.api.unsettle(betId)
  await scene.api.cancel(betId, 50)
  await scene.time.settle()
  const { data, next } = await changes()
  const bets = data.filter(({ event }) => event.startsWith('bet.'))
  expect(bets.map(({ event }) => event)).toEqual([
    ...['bet.accepted', 'bet.settled', 'bet.settled', 'bet.accepted', 'bet.cancelled'],
  ])
  expect(data.filter(({ event }) => event.startsWith('delivery.')).map(({ delivery }) => delivery?.operation)).toEqual([
    ...['settle', 'settle', 'unsettle', 'rollback'],
  ])
  expect(data.map(({ id }) => id)).toEqual(data.map((_, i) => String(i + 1)))
  expect(next).toBe(data.at(-1)?.id)
  const common = { betId, partnerId: scene.partnerId, userId: expect.any(String), currency: 'EUR', amount: '10.00' }
  const at = expect.stringMatching(/Z$/)
  expect(bets[1]).toEqual({
    ...{ id: expect.any(String), at, version: 1, event: 'bet.settled' },
    bet: { ...common, status: 'settled', resultType: 'won', payout: '25.00', decidedBy: 'request' },
  })
  expect(bets.at(-1)?.bet).toEqual({ ...common, status: 'cancelled', reason: 'rollback 50' })
  expect(data.find(({ event }) => event === 'delivery.done')).toEqual({
    ...{ id: expect.any(String), at, version: 1, event: 'delivery.done' },
    delivery: {
      ...{ deliveryId: expect.any(String), betId, partnerId: scene.partnerId, operation: 'settle', status: 'done' },
    },
  })
})

test('the feed contains declined bets, and rejected, stuck and retried deliveries', async () => {
  scene.wallet.next('place', refusal(7, 'Not enough money'))
  await scene.api.place(scene.frame)
  expect((await changes()).data).toMatchObject([{ event: 'bet.declined', bet: { reason: 'partner code 7' } }])
  const { betId } = await scene.api.place(scene.frame)
  const { next } = await changes()
  scene.wallet.next('settle', refusal(20, 'blocked'))
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.settle()
  const { data } = await changes(`?after=${next}`)
  expect(data).toMatchObject([
    { event: 'bet.settled' },
    { event: 'delivery.refused', delivery: { betId, code: 20, error: 'blocked' } },
  ])
  const deliveryId = data[1]?.delivery?.deliveryId
  expect((await scene.api.request('POST', `/deliveries/${deliveryId}/retry`)).status).toBe(202)
  await scene.time.settle()
  expect(await eventsAfter(`?after=${data[1]?.id}`)).toEqual(['delivery.pending', 'delivery.done'])
  const other = await scene.api.place(scene.frame)
  const before = (await changes('?after=latest')).next
  scene.wallet.always('rollback', reset)
  await scene.api.cancel(other.betId, 50)
  await scene.time.advance(400_000)
  expect(await eventsAfter(`?after=${before}`)).toEqual(['bet.cancelled', 'delivery.stuck'])
})

test('the feed lists an event’s results bet by bet, each after its bet, and then its delivery', async () => {
  const selections = [{ eventId: 'final', outcomeId: 'home', coefficient: '2.5' }]
  for (let i = 0; i < 30; i++) await scene.api.place(scene.frame, { selections })
  await scene.api.results('final', { home: 'won' })
  await scene.time.settle()
  const { data } = await changes('?limit=500')
  const seen = new Map<unknown, string[]>()
  for (const { event, bet, delivery } of data) {
    const betId = (bet ?? delivery)?.betId
    seen.set(betId, [...(seen.get(betId) ?? []), event])
  }
  expect(seen.size).toBe(30)
  for (const events of seen.values()) expect(events).toEqual(['bet.accepted', 'bet.settled', 'delivery.done'])
})

test('a page waits for the next event, from any process', async () => {
  const { next } = await changes('?after=latest')
  const waiting = changes(`?after=${next}&wait=30`)
  const { betId } = await scene.api.place(scene.frame)
  expect((await waiting).data).toMatchObject([{ event: 'bet.accepted', bet: { betId } }])
})

test.each([
  ['a cursor of nothing', '?after=x', 400],
  ['a cursor of the future', '?after=99', 400],
  ['a wait of a day', '?wait=86400', 400],
  ['an unknown filter', '?partner=x', 400],
])('the feed rejects %s', async (_what, query, status) => {
  expect((await scene.api.request('GET', `/changes${query}`)).status).toBe(status)
})

test('a cursor older than the retention returns 410 with the start of the feed', async () => {
  for (let i = 0; i < 3; i++) await scene.api.place(scene.frame)
  await changes()
  await scene.platform.sql('delete from platform.change where last_number < 3')
  const { status, body } = await scene.api.request('GET', '/changes?after=1')
  expect(status).toBe(410)
  expect(body).toMatchObject({ code: 'cursor_too_old', detail: expect.stringContaining('begins after 2') })
  expect((await changes('?after=2')).data).toHaveLength(1)
})

/** Reads a stream up to its nth event. */
async function stream(count: number, headers: Record<string, string> = {}, query = '') {
  const gone = new AbortController()
  const { url, key } = scene.platform
  const reply = await send(`${url}/changes/stream${query}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal: gone.signal,
  })
  expect(reply.statusCode).toBe(200)
  expect(reply.headers['content-type']).toBe('text/event-stream')
  const read = async () => {
    let text = ''
    for await (const chunk of reply.body) {
      text += String(chunk)
      const events = text.split('\n\n').filter((block) => block.startsWith('id: '))
      if (events.length >= count && text.endsWith('\n\n')) return events
    }
    throw new Error(`the stream ended after ${text}`)
  }
  return read().finally(() => gone.abort())
}

test('the stream has the same events, and continues after the last event that a reader received', async () => {
  await scene.api.place(scene.frame)
  const begun = stream(2)
  await scene.api.place(scene.frame)
  const events = await begun
  const { data } = await changes()
  const block = (change: Change | undefined) =>
    [`id: ${change?.id}`, `event: ${change?.event}`, `data: ${JSON.stringify(change)}`].join('\n')
  expect(events).toEqual(data.map(block))
  expect(await stream(1, { 'last-event-id': '1' }, '?after=0')).toEqual([block(data[1])])
})

test('an open stream does not delay the shutdown of the platform, which ends it cleanly', async () => {
  const { url, key } = scene.platform
  const reply = await send(`${url}/changes/stream?after=latest`, { headers: { authorization: `Bearer ${key}` } })
  const text = reply.body.text()
  await scene.stop()
  expect(await text).toMatch(/^retry: 1000\n\n(:\n\n)*$/)
  scene = await startScene()
})
