/**
 * The platform API answers its clients with problem details and with lists in pages. It shows every
 * attempt of a delivery, but no token or secret.
 */
import { randomUUID } from 'node:crypto'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newToken, type PlatformClient } from '../support/platform.ts'
import { refusal, reset, status } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const PROBLEM = /^application\/problem\+json(;|$)/

const ask: PlatformClient['request'] = (method, path, body) => scene.api.request(method, path, body)

const routes: [string, string, object | undefined][] = [
  ['POST', '/partners', { partnerId: 'p', baseUrl: 'http://127.0.0.1:1', secret: 's' }],
  ['POST', '/frame-sessions', { partnerId: 'p', token: newToken() }],
  ['POST', '/bets', { frameSessionId: randomUUID(), amount: '1', selections: [] }],
  ['GET', '/bets', undefined],
  ['GET', `/bets/${randomUUID()}`, undefined],
  ['POST', `/bets/${randomUUID()}/settle`, { resultType: 'won', amount: '1' }],
  ['POST', `/bets/${randomUUID()}/unsettle`, undefined],
  ['POST', `/bets/${randomUUID()}/cancel`, { errorCode: 8 }],
  ['PUT', '/events/e', { status: 'open' }],
  ['POST', '/events/e/result', { outcomes: [] }],
  ['PUT', '/limits', {}],
  ['GET', '/deliveries', undefined],
  ['POST', '/deliveries/1/retry', undefined],
]

test.each(routes)('%s %s without the key is 401', async (method, path, body) => {
  for (const authorization of [undefined, 'Bearer ', 'Bearer wrong', scene.platform.key]) {
    const headers = { ...(body && { 'content-type': 'application/json' }), ...(authorization && { authorization }) }
    const reply = await request(scene.platform.url + path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    })
    expect(reply.statusCode).toBe(401)
    expect(reply.headers['content-type']).toMatch(PROBLEM)
    expect(await reply.body.json()).toMatchObject({ status: 401, code: 'unauthorized' })
  }
})

test.each(routes.filter(([method, , body]) => method !== 'GET' && body !== undefined))(
  '%s %s with an unknown member returns a problem that names it',
  async (method, path, body) => {
    const { status, headers, body: problem } = await ask(method, path, { ...body, surprise: 1 })
    expect(status).toBe(400)
    expect(headers['content-type']).toMatch(PROBLEM)
    expect(problem).toMatchObject({ type: 'about:blank', title: 'Bad request', status: 400, code: 'invalid_request' })
    expect(problem).toMatchObject({ requestId: headers['x-request-id'] })
    expect(JSON.stringify(problem)).toContain('"pointer":"/surprise"')
  },
)

test.each([
  ['GET', '/nothing', 404],
  ['GET', `/bets/${randomUUID()}`, 404],
  ['GET', '/bets/not-a-uuid', 400],
  ['POST', `/bets/${randomUUID()}/unsettle`, 404],
  ['DELETE', '/bets', 405],
  ['POST', '/deliveries/999999/retry', 404],
  ['POST', '/deliveries/x/retry', 400],
  ['GET', '/deliveries?status=lost', 400],
  ['GET', '/deliveries?limit=0', 400],
  ['GET', '/deliveries?after=garbage', 400],
  ['GET', '/bets?after=garbage', 400],
  ['GET', `/bets?after=${Buffer.from('["2031-01-01T00:00:00Z","no-bet"]').toString('base64url')}`, 400],
  ['GET', '/bets?limit=501', 400],
  ['GET', '/bets?nothing=1', 400],
  ['GET', '/bets?status=lost', 400],
  ['GET', '/bets?from=yesterday', 400],
  ['GET', '/bets?partnerId=%00', 400],
  ['GET', '/deliveries?partnerId=%00', 400],
  ['POST', `/bets/${randomUUID()}/unsettle/`, 404],
] as const)('%s %s returns a problem with status %i', async (method, path, expected) => {
  const { status, body, headers } = await ask(method, path)
  expect(status).toBe(expected)
  expect(headers['content-type']).toMatch(PROBLEM)
  expect(body).toMatchObject({ status: expected })
})

test.each([
  ['no JSON', '{'],
  ['an array', '[]'],
  ['nothing', ''],
])('a body that is %s is rejected with 400', async (_what, body) => {
  expect((await ask('POST', '/bets', body)).status).toBe(400)
})

test.each([
  ['a token of 9 characters', { token: 'x'.repeat(9) }],
  ['a token of 65', { token: 'x'.repeat(65) }],
  ['a token with NUL', { token: `${'x'.repeat(12)}\u0000` }],
])('a frame session with %s is rejected with 400 and without a call to the partner', async (_what, over) => {
  const before = scene.wallet.requests.length
  expect((await ask('POST', '/frame-sessions', { partnerId: scene.partnerId, ...over })).status).toBe(400)
  expect(scene.wallet.requests).toHaveLength(before)
})

test('a frame session of an unknown partner is rejected with 404', async () => {
  expect((await ask('POST', '/frame-sessions', { partnerId: 'nobody', token: newToken() })).status).toBe(404)
})

test.each(['ftp://x', 'http://', 'http://x:99999', 'nowhere', ''])(
  'a partner with the base URL "%s" is rejected with 400',
  async (baseUrl) => {
    expect((await ask('POST', '/partners', { partnerId: 'q', baseUrl, secret: 's' })).status).toBe(400)
  },
)

test.each([
  [64, 201],
  [65, 400],
])('a new partner with an id of %i characters is answered %i', async (length, expected) => {
  const partner = { partnerId: 'p'.repeat(length), baseUrl: 'http://127.0.0.1:9', secret: 'a-secret-of-the-partner' }
  expect((await ask('POST', '/partners', partner)).status).toBe(expected)
})

describe('the platform API lists', () => {
  interface Page {
    data: { betId: string; deliveryId?: string }[]
    next: string | null
  }
  async function pages(path: string, limit: number): Promise<Page['data'][]> {
    const found: Page['data'][] = []
    for (let after = ''; ; ) {
      const page = (await ask('GET', `${path}&limit=${limit}${after}`)).body as unknown as Page
      found.push(page.data)
      if (page.next === null) return found
      after = `&after=${page.next}`
    }
  }
  let partnerId: string
  let bets: string[]
  beforeAll(async () => {
    const other = await scene.platform.partner()
    partnerId = other.partnerId
    const frame = await scene.api.loadFrame(partnerId)
    bets = []
    for (let i = 0; i < 7; i++) {
      if (i % 3 === 2) await scene.time.advance(1_000) // some bets share a moment
      bets.push((await scene.api.place(frame)).betId)
    }
  })

  test.each([1, 2, 3, 7, 8])('each bet once, newest first: GET /bets in pages of %i', async (limit) => {
    const found = await pages(`/bets?partnerId=${partnerId}`, limit)
    expect(found.slice(0, -1).every((page) => page.length === limit)).toBe(true)
    const times = found.flat().map((bet) => (bet as { placedAt?: string }).placedAt ?? '')
    expect(times).toEqual([...times].sort().reverse())
    expect(new Set(found.flat().map((bet) => bet.betId))).toEqual(new Set(bets))
    expect(found.flat()).toHaveLength(7)
  })

  test.each([1, 3, 7, 8])('each delivery once, the latest first: GET /deliveries in pages of %i', async (limit) => {
    const found = await pages(`/deliveries?partnerId=${partnerId}`, limit)
    const ids = found.flat().map(({ deliveryId }) => Number(deliveryId))
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a))
    expect(new Set(found.flat().map((d) => d.betId))).toEqual(new Set(bets))
  })

  test('bets that match a status and a time', async () => {
    const [first] = bets as [string]
    await scene.api.settle(first, 'won', '25')
    const path = `/bets?partnerId=${partnerId}`
    expect((await pages(`${path}&status=settled`, 50)).flat().map((bet) => bet.betId)).toEqual([first])
    expect((await pages(`${path}&status=accepted`, 50)).flat()).toHaveLength(6)
    const now = scene.time.now().toISOString()
    expect((await pages(`${path}&from=${now}`, 50)).flat().length).toBeLessThan(7)
    expect((await pages(`${path}&to=2031-01-01T00:00:00Z`, 50)).flat()).toEqual([])
    await scene.time.settle()
  })

  test('deliveries with any of several statuses', async () => {
    const done = await scene.api.deliveries(`?partnerId=${partnerId}&status=done`)
    expect(done.length).toBeGreaterThanOrEqual(7)
    expect(await scene.api.deliveries(`?partnerId=${partnerId}&status=stuck,refused,pending`)).toEqual([])
  })
})

test('every attempt of a delivery is shown with its time, duration, status, code, error and answer', async () => {
  const { betId } = await scene.api.place(scene.frame)
  scene.wallet.next('settle', status(503), reset, { body: '{"half":' }, refusal(20, 'blocked'))
  await scene.api.settle(betId, 'won', '25')
  await scene.time.advance(10_000)
  const { deliveries } = await scene.api.bet(betId)
  expect(deliveries[1]).toMatchObject({ operation: 'settle', status: 'refused', attempts: 4, code: 20, number: 2 })
  const seen = deliveries[1]?.attemptList.map((a) => [a.number, a.httpStatus, a.outcome, a.code, a.body])
  expect(seen).toEqual([
    [1, 503, 'unknown', undefined, '{"code":100,"message":"broken"}'],
    [2, null, 'unknown', undefined, ''],
    [3, 200, 'unknown', undefined, '{"half":'],
    [4, 400, 'refused', 20, '{"code":20,"message":"blocked"}'],
  ])
  for (const attempt of deliveries[1]?.attemptList ?? []) {
    expect(attempt.durationMs).toBeGreaterThanOrEqual(0)
    expect(Number.isNaN(Date.parse(attempt.startedAt))).toBe(false)
  }
  const phases = deliveries[1]?.attemptList.map((attempt) => Object.keys(attempt.phases ?? {})) ?? []
  expect(phases[1]).not.toContain('bodyMs') // the connection broke before the body (C-18)
  expect(phases[2]).toEqual(['connectMs', 'firstByteMs', 'bodyMs']) // a new connection
  expect(deliveries[1]?.attemptList.map((a) => a.error?.split(':')[0])).toEqual([
    'status',
    'network',
    'unreadable_body',
    undefined,
  ])
  expect(deliveries[1]?.request).toMatchObject({ type: 2, amount: 25, resultType: 'won' })
})

describe('an answer that no column can store is recorded as far as possible, and blocks no other delivery:', () => {
  test.each([
    ['a code beyond 32 bits', { status: 400, body: { code: 99_999_999_999, message: 'no' } }],
    ['an enormous code', { status: 400, body: '{"code":1e300,"message":"no"}' }],
    ['NUL in the message', { status: 400, body: { code: 20, message: 'a\u0000b' } }],
    ['NUL in the body', { status: 400, body: '{"code":20,"message":"a"} \u0000' }],
    ['half a character', { status: 400, body: '{"code":20,"message":"\\ud800"}' }],
    ['a message of 60,000 characters', { status: 400, body: { code: 20, message: 'x'.repeat(60_000) } }],
    ['bytes that are no UTF-8', { status: 500, body: '\ufffd\uffff' }],
  ])('%s', async (_what, script) => {
    const placing = scene.wallet
    placing.next('place', script)
    const { status: placed } = await scene.api.place(scene.frame)
    expect(['declined', 'cancelled']).toContain(placed)
    const [poisoned, beside] = [await scene.api.place(scene.frame), await scene.api.place(scene.frame)]
    scene.wallet.next('settle', script)
    await scene.api.settle(poisoned.betId, 'won', '25')
    await scene.api.settle(beside.betId, 'won', '25')
    await scene.time.advance(5_000)
    const left = await scene.api.deliveries('?status=pending,waiting')
    expect(left).toEqual([])
    const { deliveries } = await scene.api.bet(poisoned.betId)
    expect(deliveries[1]?.attemptList[0]?.body.length).toBeGreaterThan(0)
  })
})

test('no answer contains a token or secret, even if the partner repeats it', async () => {
  const token = 'the-token-that-nobody-may-see'
  const texts: string[] = []
  const keep = async (method: string, path: string, body?: object) => {
    const reply = await ask(method, path, body)
    texts.push(JSON.stringify(reply.body))
    return reply.body as Record<string, unknown>
  }
  const { url: baseUrl, secret } = scene.wallet
  await keep('POST', '/partners', { partnerId: scene.partnerId, baseUrl, secret })
  const echo = ({ text }: { text: string }) => ({ code: 3, message: `no such token: ${text}` })
  scene.wallet.next('profile', { status: 400, body: echo })
  await keep('POST', '/frame-sessions', { partnerId: scene.partnerId, token })
  const { frameSessionId } = await keep('POST', '/frame-sessions', { partnerId: scene.partnerId, token })
  const selections = [{ eventId: 'e', outcomeId: 'o', coefficient: '2' }]
  for (const script of [{}, { status: 400, body: echo }, { status: 500, body: echo }]) {
    scene.wallet.next('place', script)
    const { betId } = await keep('POST', '/bets', { frameSessionId, amount: '10', selections })
    await ask('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount: '5' })
    await scene.time.advance(2_000)
    await keep('GET', `/bets/${betId}`)
  }
  await keep('GET', '/bets')
  await keep('GET', '/deliveries')
  expect(texts.filter((text) => text.includes(token))).toEqual([])
  expect(texts.filter((text) => text.includes(secret))).toEqual([])
  expect(scene.wallet.of('settle').at(-1)?.body.token).toBe(token)
})
