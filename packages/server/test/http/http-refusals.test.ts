/**
 * Our own APIs answer a wrong method or body with 405, 413 or 415. The partner wire never gives
 * these answers.
 */

import { signBody } from '@purser/protocol/signature'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SERVERS, type ServerWithKey } from '../people/servers.ts'
import { startGateway } from '../support/gateway.ts'
import { startWallet } from '../support/wallet.ts'

describe.each(SERVERS)('the API of the $server', ({ prefix, list, start }) => {
  let started: ServerWithKey
  beforeAll(async () => {
    started = await start()
  })
  afterAll(() => started.stop())

  const ask = (method: string, path: string, type?: string, body?: string) =>
    fetch(started.url + path, {
      method,
      headers: { authorization: `Bearer ${started.firstKey}`, ...(type !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    })

  test('returns 405 with the methods of the path', async () => {
    const reply = await ask('DELETE', `${prefix}/keys`)
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST'])
    expect(await reply.json()).toMatchObject({ code: 'method_not_allowed' })
    expect((await ask('PATCH', list)).status).toBe(405)
    expect((await ask('DELETE', `${prefix}/no/such/path`)).status).toBe(404)
  })

  test.each(['text/plain', 'application/xml'])('rejects a body of the type %s with 415', async (type) => {
    expect((await ask('POST', `${prefix}/keys`, type, '{"name":"desk","role":"read"}')).status).toBe(415)
  })

  test('rejects a body that is too large with 413', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(1_000_000) })
    expect((await ask('POST', `${prefix}/keys`, 'application/json', body)).status).toBe(413)
  })

  test('forbids browsers to guess the type of an answer', async () => {
    for (const path of [list, `${prefix}/no-such-path`])
      expect((await ask('GET', path)).headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('rejects a call without a key before it checks the method', async () => {
    expect((await fetch(`${started.url}${prefix}/keys`, { method: 'DELETE' })).status).toBe(401)
  })
})

describe.each([
  { server: 'wallet', start: () => startWallet() },
  { server: 'gateway', start: () => startGateway() },
])('the partner wire of the $server', ({ start }) => {
  test('matches paths only as they are written, and not after decoding', async () => {
    const { url, secret, stop } = await start()
    try {
      const body = '{"userId":"nobody"}'
      const headers = { 'x-sign-jws': signBody(Buffer.from(body), secret), 'content-type': 'application/json' }
      const statusOf = async (path: string) => (await fetch(url + path, { method: 'POST', headers, body })).status
      expect(await statusOf('/payment/bet')).toBe(400)
      for (const path of ['/payment/%62et', '/%70ayment/check', '/user/pro%66ile'])
        expect(await statusOf(path)).toBe(404)
    } finally {
      await stop()
    }
  })
})
