/**
 * Each of our own APIs reads a request exactly as sent, or rejects it. No content is replaced, and
 * no nesting exhausts the stack.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../operator/answers.ts'
import { startGateway } from '../support/gateway.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'
import { readReply } from '../support/wire.ts'
import { sendRaw } from '../wallet/raw-http.ts'

interface Server {
  readonly url: string
  readonly key: string
  stop(): Promise<void>
}

/** A valid call with a body, and a list. */
const APIS = [
  {
    name: 'the operator API',
    start: async (): Promise<Server> => {
      const { url, operatorKey: key, stop } = await startWallet()
      return { url, key, stop }
    },
    path: '/operator/players',
    body: { userId: 'zoë', currency: 'EUR', customFields: { nickname: 'Ä' } },
    list: '/operator/bets',
  },
  {
    name: 'the platform',
    start: (): Promise<Server> => startPlatform(),
    path: '/partners',
    body: { partnerId: 'zoë', baseUrl: 'http://127.0.0.1:1', secret: 'Ä' },
    list: '/bets',
  },
  {
    name: 'the gateway',
    start: (): Promise<Server> => startGateway(),
    path: '/operators',
    body: { operatorId: 'acme', baseUrl: 'http://127.0.0.1:1', secret: 'Ä' },
    list: '/operators',
  },
]

describe.each(APIS)('$name', ({ start, path, body, list }) => {
  let server: Server
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.stop())

  const headers = () => ({ authorization: `Bearer ${server.key}`, 'content-type': 'application/json' })
  async function post(bytes: string | Buffer) {
    const { status, text } = await sendRaw(server.url, { path, body: bytes, headers: headers() })
    return readReply(status, text)
  }

  test('accepts UTF-8, and rejects the same text in Latin-1', async () => {
    const text = JSON.stringify(body)
    expectProblem(await post(Buffer.from(text, 'latin1')), 400, 'invalid_request', [''])
    expect((await post(text)).status).toBe(201)
  })

  test.each([
    ['half a character', Buffer.from([0xc3])],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80])],
    ['the long way to write a slash', Buffer.from([0xc0, 0xaf])],
  ])('rejects %s, at any position', async (_name, bytes) => {
    for (const mark of ['Ä', 'secret', 'nickname']) {
      const [before = '', after] = JSON.stringify({ ...body, nickname: 1 }).split(mark)
      const broken = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after ?? '')])
      expectProblem(await post(broken), 400, 'invalid_request', [''])
    }
  })

  test.each([32, 6_500, 10_000])('rejects %i levels within a member, and names the member', async (depth) => {
    const nested = [`${'['.repeat(depth)}${']'.repeat(depth)}`, `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`]
    for (const value of nested) {
      const sent = JSON.stringify({ ...body, customFields: 0 }).replace('"customFields":0', `"customFields":${value}`)
      const reply = await post(sent)
      expectProblem(reply, 400, 'invalid_request', ['/customFields'])
      expect(reply.text).toContain('is nested too deeply')
    }
  })

  test.each(['12345678901234567891', '1e-400', '1e400', '-0.0'])('rejects the number %s', async (number) => {
    const sent = JSON.stringify({ ...body, customFields: { id: 0 } }).replace('"id":0', `"id":${number}`)
    const reply = await post(sent)
    expectProblem(reply, 400, 'invalid_request', [''])
    expect(reply.text).toContain('would be rounded')
  })

  test.each(['after=%FF', 'after=%ED%A0%80', 'after=100%', '%FF=1'])(
    'rejects the query %s with its own error',
    async (query) => {
      const call = { method: 'GET', path: `${list}?${query}`, body: '', headers: headers() }
      const { status, text } = await sendRaw(server.url, call)
      expectProblem(readReply(status, text), 400, 'invalid_request')
      expect(text).toContain('percent-encoding')
    },
  )
})
