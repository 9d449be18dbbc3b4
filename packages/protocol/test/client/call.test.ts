/**
 * The client sends one call to a wallet over real HTTP, and reports each kind of failure (P4–P7).
 */
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  hang,
  hangInBody,
  refusal,
  reset,
  type Script,
  type ScriptedWallet,
  startScriptedWallet,
} from '../../../server/test/support/scripted-wallet.ts'
import { signal } from '../../../server/test/support/signal.ts'
import { placeMessage } from '../../../server/test/support/wire.ts'
import { openSignedConnection } from '../../src/client/signed-connection.ts'
import { createWalletClient, type WalletAnswer, type WalletClient } from '../../src/client/wallet-client.ts'
import type { Operation } from '../../src/operation.ts'

let wallet: ScriptedWallet
let client: WalletClient
beforeAll(async () => {
  wallet = await startScriptedWallet()
})
afterAll(async () => {
  wallet.faults.length = 0 // the test bodies are invalid on purpose
  await wallet.stop()
})
afterEach(() => client?.close().catch(() => {})) // one test closes its client itself

function clientOf(over: Partial<Parameters<typeof createWalletClient>[0]> = {}): WalletClient {
  client = createWalletClient({ baseUrl: wallet.url, secrets: [wallet.secret], ...over })
  return client
}

function aPlace(over: Record<string, unknown> = {}): { text: string; id: string } {
  const message = placeMessage(over)
  return { text: JSON.stringify(message), id: String(message.transactionId) }
}

async function placeAgainst(script: Script, over: Parameters<typeof clientOf>[0] = {}): Promise<WalletAnswer> {
  wallet.next('place', script)
  const { text, id } = aPlace()
  return clientOf(over).call('place', text, id)
}

const CALLS: [Operation, string, string][] = [
  ['place', 'POST', '/payment/bet'],
  ['settle', 'PUT', '/payment/bet'],
  ['unsettle', 'PUT', '/payment/bet'],
  ['rollback', 'PUT', '/payment/bet'],
  ['profile', 'POST', '/user/profile'],
  ['balance', 'POST', '/user/balance'],
  ['check', 'POST', '/payment/check'],
]
test.each(CALLS)('the client sends %s as %s to %s', async (operation, method, path) => {
  await clientOf().call(operation, '{}')
  expect(wallet.requests.at(-1)).toMatchObject({ method, path, text: '{}' })
})

test.each([
  ['', '/payment/bet'],
  ['/', '/payment/bet'],
  ['/partner/v1', '/partner/v1/payment/bet'],
  ['/partner/v1/', '/partner/v1/payment/bet'],
])('a base URL may end in "%s"', async (end, path) => {
  const { text, id } = aPlace()
  const { outcome } = await clientOf({ baseUrl: wallet.url + end }).call('place', text, id)
  expect([wallet.requests.at(-1)?.path, outcome.kind]).toEqual([path, 'accepted'])
})

test.each([
  '{"amount":10.00,"b":1e2}',
  ' {\n\t"spaced" : true } ',
  '{"text":"ünïcödé ☃ 𝄞 \\u2028"}',
  '{"\ufeff":0}',
  '',
])('the client sends and signs exactly the bytes of %j', async (text) => {
  wallet.faults.length = 0
  await clientOf().call('place', text)
  expect(wallet.requests.at(-1)?.text).toBe(text)
  expect(wallet.faults.filter((fault) => fault.includes('signature'))).toEqual([])
})

test('an accepted call returns status, body and duration', async () => {
  const answer = await placeAgainst({ delayMs: 60 })
  expect(answer).toMatchObject({ outcome: { kind: 'accepted' }, status: 200 })
  expect(answer.body).toContain('transactionTime')
  expect(answer.durationMs).toBeGreaterThan(50)
})

test.each([401, 403, 404, 429, 500, 503, 302])('status %i is unknown and has no effect (P4)', async (status) => {
  const before = wallet.requests.length
  const headers = { location: `${wallet.url}/elsewhere`, 'retry-after': '0' }
  const answer = await placeAgainst({ status, headers, body: { code: 7, message: 'no' } })
  expect(answer).toMatchObject({ outcome: { kind: 'unknown', reason: 'status' }, status })
  expect(wallet.requests).toHaveLength(before + 1)
})

describe('the time-out (P5) covers', () => {
  const timeoutMs = 300
  const only = { part: 'platform', connections: 1, connectMs: timeoutMs } as const
  test.each([
    ['the headers', hang, null],
    ['the body', hangInBody, 200],
    ['an answer just too late', { delayMs: 450 }, null],
  ] as [string, Script, number | null][])('%s', async (_what, script, status) => {
    const answer = await placeAgainst(script, { timeoutMs })
    expect(answer).toMatchObject({ outcome: { kind: 'unknown', reason: 'time_out' }, status })
    expect(answer.durationMs).toBeGreaterThanOrEqual(timeoutMs - 5)
  })

  test('the wait for a free connection', async () => {
    const one = clientOf({ timeoutMs, connections: 1 })
    // The second call hangs too if it leaves between the two timeouts.
    wallet.always('place', hang)
    const before = wallet.of('place').length
    const answers = await Promise.all([one.call('place', aPlace().text), one.call('place', aPlace().text)])
    wallet.always('place', {})
    expect(answers.map(({ outcome }) => outcome)).toEqual(
      Array(2).fill(expect.objectContaining({ kind: 'unknown', reason: 'time_out' })),
    )
    expect(wallet.of('place').length - before).toBeLessThanOrEqual(2)
    expect((await one.call('place', aPlace().text)).outcome.kind).toBe('accepted')
  })

  test('the wait for a connection, and a call that times out there is never sent', async () => {
    const line = openSignedConnection({ ...only, baseUrl: wallet.url, secrets: [wallet.secret] })
    const exchange = (milliseconds: number) =>
      line.exchange({
        method: 'POST',
        path: '/payment/bet',
        body: Buffer.from(aPlace().text),
        timeoutMs: milliseconds,
      })
    const answer = signal()
    wallet.next('place', { hold: answer.given })
    const before = wallet.of('place').length
    const first = exchange(5_000)
    await wallet.seen('place', before + 1)
    expect(await exchange(50)).toMatchObject({ kind: 'failed', reason: 'time_out', status: null })
    answer.give()
    expect([await first, await exchange(5_000)].map(({ status }) => status)).toEqual([200, 200])
    expect(wallet.of('place')).toHaveLength(before + 2)
    await line.close()
  })

  test('a connection attempt that takes longer than the call may last', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const baseUrl = `https://127.0.0.1:${portOf(silent.address())}`
    const line = openSignedConnection({
      part: 'platform',
      baseUrl,
      secrets: ['a-secret'],
      connections: 1,
      connectMs: 2_000,
    })
    const result = await line.exchange({ method: 'POST', path: '/payment/bet', body: Buffer.from('{}'), timeoutMs })
    const detail = `no complete answer within ${timeoutMs} ms`
    expect(result).toMatchObject({ kind: 'failed', reason: 'time_out', detail, status: null })
    silent.close()
    await line.close()
  })

  test('a TLS handshake that never ends', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const answer = await clientOf({ baseUrl: `https://127.0.0.1:${portOf(silent.address())}`, timeoutMs }).call(
      'place',
      '{}',
    )
    silent.close()
    expect(answer).toMatchObject({ outcome: { kind: 'unknown', reason: 'time_out' }, status: null })
  })
})

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

describe('the client reports as a network error (P6)', () => {
  async function expectNetworkError(baseUrl: string): Promise<void> {
    const answer = await clientOf({ baseUrl }).call('place', '{}')
    expect(answer).toMatchObject({ outcome: { kind: 'unknown', reason: 'network' }, status: null, body: '' })
  }
  test('a refused connection', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const port = portOf(server.address())
    await new Promise((resolve) => server.close(resolve))
    await expectNetworkError(`http://127.0.0.1:${port}`)
  })
  test('TLS towards a plain port', () => expectNetworkError(wallet.url.replace('http:', 'https:')))
  test('a name that does not resolve', () => expectNetworkError('http://wallet.invalid'))
  test('something that does not speak HTTP', async () => {
    const rude = createServer((socket) => socket.on('error', () => {}).end('HELLO\r\n\r\n'))
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve))
    await expectNetworkError(`http://127.0.0.1:${portOf(rude.address())}`)
    rude.close()
  })
  test.each([
    ['after the request', reset],
    ['within the body', { fault: 'reset_in_body' }],
  ] as [string, Script][])('a reset %s', async (_when, script) => {
    expect((await placeAgainst(script)).outcome).toMatchObject({ kind: 'unknown', reason: 'network' })
  })
})

describe('the client limits the body of an answer (P7):', () => {
  test.each([
    ['a body of 64 KiB and more', { body: `"${'x'.repeat(64 * 1024)}"` }, 'unreadable_body'],
    ['a body without end', { body: 'x'.repeat(5_000_000) }, 'unreadable_body'],
    ['an empty body', { body: '' }, 'unreadable_body'],
    [
      'another bet',
      { body: { transactionId: 'another-bet-id', transactionTime: '2031-05-16T12:00:00Z' } },
      'contradictory_body',
    ],
  ] as [string, Script, string][])('200 with %s is unknown', async (_what, script, reason) => {
    const answer = await placeAgainst(script)
    expect(answer).toMatchObject({ outcome: { kind: 'unknown', reason }, status: 200 })
    expect(answer.body.length).toBeLessThanOrEqual(2_000)
  })

  test('a standard body of just under 64 KiB is accepted', async () => {
    const body = ({ body: { transactionId } }: { body: Record<string, unknown> }) =>
      JSON.stringify({ transactionId, transactionTime: '2031-05-16T12:00:00Z', more: 'x'.repeat(65_000) })
    const answer = await placeAgainst({ body })
    expect([answer.outcome.kind, answer.body.length]).toEqual(['accepted', 2_000])
  })
})

test('the message of a rejection is stored up to the length of a body', async () => {
  const { outcome } = await placeAgainst(refusal(7, 'x'.repeat(60_000)))
  expect(outcome).toEqual({ kind: 'refused', code: 7, message: 'x'.repeat(2_000) })
})

test('successive calls reuse the same connections', async () => {
  const one = clientOf()
  const before = wallet.requests.length
  for (let i = 0; i < 20; i++) await one.call('settle', '{}')
  for (const script of [refusal(7), { status: 500, body: '' }, { body: '' }]) {
    wallet.next('settle', script)
    await one.call('settle', '{}')
  }
  const calls = wallet.requests.slice(before)
  expect(calls).toHaveLength(23)
  expect(new Set(calls.map(({ connection }) => connection)).size).toBeLessThanOrEqual(2)
})

test('a broken connection is not reused, and the next call succeeds', async () => {
  for (const script of [reset, { fault: 'reset_in_body' }, { body: 'x'.repeat(5_000_000) }] as Script[]) {
    const one = clientOf()
    wallet.next('place', script)
    expect((await one.call('place', aPlace().text)).outcome.kind).toBe('unknown')
    expect((await one.call('place', aPlace().text)).outcome.kind).toBe('accepted')
  }
})

test('the client never repeats a failed call by itself', async () => {
  const before = wallet.requests.length
  await placeAgainst(reset)
  await placeAgainst({ status: 503, headers: { 'retry-after': '0' } })
  expect(wallet.requests).toHaveLength(before + 2)
})

test('the number of calls in flight never exceeds the number of connections', async () => {
  const two = clientOf({ connections: 2 })
  wallet.always('settle', { delayMs: 30 })
  const before = wallet.requests.length
  await Promise.all(Array.from({ length: 10 }, () => two.call('settle', '{}')))
  wallet.always('settle', {})
  expect(new Set(wallet.requests.slice(before).map(({ connection }) => connection)).size).toBe(2)
})

test('a closed client still returns an outcome', async () => {
  const closed = clientOf()
  await closed.close()
  expect((await closed.call('place', '{}')).outcome).toMatchObject({ kind: 'unknown', reason: 'network' })
})

test.each(['the-token-of-a-player', 'to"ken\\with-marks'])(
  'a rejection that repeats the token %s is stored without the token',
  async (token) => {
    const message = `there is no ${token} here`
    wallet.next('place', refusal(3, message))
    const { outcome, body } = await clientOf().call('place', aPlace({ token }).text)
    expect(outcome).toMatchObject({ kind: 'refused', code: 3, message: 'there is no (token) here' })
    expect(body).toBe(JSON.stringify({ code: 3, message: 'there is no (token) here' }))
  },
)

test.each([
  ['as it was sent', (text: string) => text],
  ['with escaped slashes', (text: string) => text.replaceAll('/', '\\/')],
  ['in ASCII', (text: string) => text.replaceAll('/', '\\/').replaceAll('ä', '\\u00e4')],
  ['as a text in JSON', (text: string) => JSON.stringify({ message: text })],
])('an answer that repeats the whole request, %s, is stored without the token', async (_how, write) => {
  const { text } = aPlace({ token: 'a/"token"/of\u00e4-player' })
  wallet.next('place', { status: 500, body: write(text) })
  const { body } = await clientOf().call('place', text)
  expect(body).toMatch(/token\\*":\\*"\(token\)/)
  expect(body).not.toMatch(/of.{0,8}-player/)
})
