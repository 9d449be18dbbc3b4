/**
 * Each server and command that makes HTTP calls sends its own User-Agent and the configured
 * headers.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequestSender } from '@purser/conformance/wallet/play/request-sender'
import { getFromApi } from '@purser/protocol/client/api-client'
import { createWalletClient } from '@purser/protocol/client/wallet-client'
import { systemClock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { VERSION } from '@purser/runtime/version'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOperatorClient } from '../../src/gateway/operators/operator-client.ts'

let baseUrl = ''
let received: IncomingHttpHeaders = {}
const server = createServer((request, response) => {
  received = request.headers
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const secrets = ['a-shared-secret']
const headers = { authorization: 'Basic dXNlcjpwYXNz' }
const sent = { method: 'POST', path: '/payment/bet', headers: {}, body: '{}' } as const

const CALLERS: [string, () => Promise<unknown>][] = [
  [
    'platform',
    async () => {
      const client = createWalletClient({ baseUrl, secrets, headers })
      await client.call('check', '{}').finally(() => client.close())
    },
  ],
  [
    'load',
    async () => {
      const client = createWalletClient({ baseUrl, secrets, headers, part: 'load' })
      await client.call('check', '{}').finally(() => client.close())
    },
  ],
  [
    'gateway',
    async () => {
      const link = createOperatorClient({ baseUrl, secrets, headers })
      await link.send({
        method: 'POST',
        path: '/payment/check',
        body: Buffer.from('{}'),
        arrivedAt: environment.monotonicNow(),
      })
      await link.close()
    },
  ],
  [
    'conformance',
    async () => {
      const sender = createRequestSender({ baseUrl, clock: systemClock, headers })
      await sender.send('a bet', sent).finally(() => sender.close())
    },
  ],
]
test.each(CALLERS)('the %s sends its own User-Agent and its own headers', async (part, call) => {
  await call()
  expect(received).toMatchObject({ 'user-agent': `Purser/${VERSION} (${part})`, ...headers })
})

test('a command sends its User-Agent to our own APIs', async () => {
  await getFromApi({ url: baseUrl, key: 'a-key' }, '/now')
  expect(received).toMatchObject({ 'user-agent': `Purser/${VERSION} (command)`, authorization: 'Bearer a-key' })
})

test('a configured header overrides the User-Agent', async () => {
  const client = createWalletClient({ baseUrl, secrets, headers: { 'user-agent': 'mine/1' } })
  await client.call('check', '{}').finally(() => client.close())
  expect(received).toMatchObject({ 'user-agent': 'mine/1' })
})
