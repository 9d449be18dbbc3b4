/** Requests to the operator API need a valid key, and all answers have the same common form. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { readReply } from '../support/wire.ts'
import { expectProblem } from './answers.ts'

const DOCUMENT: { paths: Record<string, object> } = JSON.parse(
  readFileSync(new URL('../../openapi/wallet.json', import.meta.url), 'utf8'),
)
const CALLS = Object.entries(DOCUMENT.paths)
  .filter(([path]) => path.startsWith('/operator/'))
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), filled(path)] as const))

function filled(path: string): string {
  return path.replace('{userId}', 'nobody').replace('{transactionId}', 'never-placed-1')
}

let wallet: TestWallet

beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(() => wallet.stop())

function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Response> {
  return fetch(wallet.url + path, { method, headers, ...(body !== undefined && { body }) })
}

function withKey(headers: Record<string, string> = {}): Record<string, string> {
  return { authorization: `Bearer ${wallet.operatorKey}`, ...headers }
}

describe('an operator API request without a valid key', () => {
  const wrong: [string, (key: string) => Record<string, string>][] = [
    ['no header at all', () => ({})],
    ['another key', () => ({ authorization: 'Bearer another-key' })],
    ['an empty key', () => ({ authorization: 'Bearer ' })],
    ['the key without its scheme', (key) => ({ authorization: key })],
    ['the key in another scheme', (key) => ({ authorization: `Basic ${key}` })],
    ['the key followed by another character', (key) => ({ authorization: `Bearer ${key}x` })],
    ['the start of the key', (key) => ({ authorization: `Bearer ${key.slice(0, -1)}` })],
  ]

  test.each(wrong)('is 401 with %s', async (_name, headers) => {
    const response = await send('GET', '/operator/audit', headers(wallet.operatorKey))
    expectProblem(readReply(response.status, await response.text()), 401, 'unauthorized')
  })

  test('is 401 on an unknown path too, so that nothing can be learned from outside', async () => {
    expect((await send('GET', '/operator/secrets', {})).status).toBe(401)
  })
})

describe('an operator API request with the key', () => {
  test('may write the scheme in any case', async () => {
    const response = await send('GET', '/operator/audit', { authorization: `bearer ${wallet.operatorKey}` })
    expect(response.status).toBe(200)
  })

  test.each(CALLS.filter(([, path]) => path.includes('nobody')))(
    '%s %s of an unknown player is 404',
    async (method, path) => {
      const movement = { currency: 'EUR', amount: '1.00', reference: 'r' }
      const bodies: Record<string, object> = {
        PATCH: {},
        ...(/deposits|withdrawals/.test(path) && { POST: movement }),
        ...(path.endsWith('/adjustments') && { POST: { ...movement, reason: 'why', person: 'maria' } }),
        ...(/approve|refuse/.test(path) && { POST: { reference: 'r' } }),
        ...(path.endsWith('/currency') && { POST: { currency: 'EUR' } }),
      }
      expectProblem(await wallet.operator.request(method, path, bodies[method]), 404, 'not_found')
    },
  )

  test('is a 404 problem on an unknown path, and 405 with an unknown method', async () => {
    expectProblem(await wallet.operator.request('GET', '/operator/secrets'), 404, 'not_found')
    expectProblem(await wallet.operator.request('PUT', '/operator/players'), 405, 'method_not_allowed')
  })

  test('gets a request id of its own and an answer that may not be stored', async () => {
    const good = await send('GET', '/operator/audit', withKey())
    const bad = await send('GET', '/operator/players/nobody', withKey())
    for (const { headers } of [good, bad]) {
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.get('cache-control')).toBe('no-store')
    }
    expect(good.headers.get('x-request-id')).not.toBe(bad.headers.get('x-request-id'))
    expect(bad.headers.get('content-type')).toMatch(/^application\/problem\+json\b/)
    expect(await bad.json()).toMatchObject({ requestId: bad.headers.get('x-request-id'), title: 'Not found' })
  })

  test('is a problem with a body that is not JSON (400), another content type (415) or a huge body (413)', async () => {
    const json = withKey({ 'content-type': 'application/json' })
    const answers = [
      await send('POST', '/operator/players', json, '{"userId":'),
      await send('POST', '/operator/players', json, ''),
      await send('POST', '/operator/players', withKey({ 'content-type': 'text/csv' }), 'a,b'),
      await send('POST', '/operator/players', json, JSON.stringify({ userId: 'x'.repeat(2_000_000) })),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 415, 413])
    for (const answer of answers) {
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json\b/)
      expect(await answer.json()).toMatchObject({ code: 'invalid_request', status: answer.status })
    }
  })

  const unreadable: [string, string, number][] = [
    ['bad percent-encoding', '/players/%zz', 400],
    ['percent-encoding that is no UTF-8', '/players/%ff/balances', 400],
    ['a part of 1,001 characters', `/players/${'a'.repeat(1_001)}/balances`, 414],
  ]
  test.each(unreadable)('is a problem on a path with %s', async (_name, path, status) => {
    const response = await send('GET', `/operator${path}`, withKey())
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = await response.text()
    expectProblem(readReply(response.status, text), status, 'invalid_request')
    expect(JSON.parse(text)).toMatchObject({ requestId: response.headers.get('x-request-id') })
  })

  test.each(['/payment/bet%zz', '/operators/%zz', '/%zz'])(
    '%s is outside of the operator API and is answered in plain JSON',
    async (path) => {
      const response = await send('POST', path, {})
      expect(response.headers.get('content-type')).toMatch(/^application\/json\b/)
      expect(await response.json()).toEqual({ statusCode: 400, message: 'the path is not valid percent-encoding' })
    },
  )

  test.each(['/operator/bets', '/operator/anomalies', '/operator/players/{userId}/statement'])(
    '%s refuses an unknown filter',
    async (path) => {
      const { userId } = await wallet.operator.createPlayer()
      const reply = await wallet.operator.request('GET', `${path.replace('{userId}', userId)}?statu=open`)
      expectProblem(reply, 400, 'invalid_request')
    },
  )
})
