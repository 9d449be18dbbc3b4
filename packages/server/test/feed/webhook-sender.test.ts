/**
 * A server checks the address of a webhook again at each call (W-42), because the host name may
 * resolve differently than when it was saved.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWebhookSender } from '../../src/core/webhooks/webhook-sender.ts'
import { generateWebhookSecret } from '../../src/core/webhooks/webhook-signature.ts'
import { type Consumer, startConsumer } from '../support/consumer.ts'

let consumer: Consumer
beforeAll(async () => {
  consumer = await startConsumer()
})
afterAll(() => consumer.close())

const MESSAGE = { id: 'message-1', body: JSON.stringify({ type: 'webhook.test', data: {} }) }

async function send(privateAddresses: boolean, plainHttp = true) {
  const sender = createWebhookSender({ privateAddresses, plainHttp }, {})
  const url = consumer.url.replace('127.0.0.1', 'localhost')
  return sender.send(url, [generateWebhookSecret()], MESSAGE as never, new Date()).finally(() => sender.close())
}

test('a name that resolves to our own network is not called, and the reason is reported', async () => {
  const error = 'localhost leads into a private or reserved network'
  expect(await send(false)).toEqual({ kind: 'failed', error: expect.stringContaining(error) })
  expect(consumer.messages).toEqual([])
})

test('a webhook without TLS is not sent if a setting forbids it', async () => {
  expect(await send(true, false)).toEqual({ kind: 'failed', error: expect.stringContaining('PURSER_PLAIN_HTTP') })
  expect(consumer.messages).toEqual([])
})

test('a webhook without TLS is sent if a setting allows it', async () => {
  expect(await send(true)).toEqual({ kind: 'delivered', httpStatus: 200 })
  expect(consumer.messages).toHaveLength(1)
  expect(consumer.messages[0]?.headers['user-agent']).toMatch(/^Purser\/\S+ \(webhooks\)$/)
})

test.each([
  ['seconds', '120', 120_000],
  ['a date', new Date(90_000).toUTCString(), 90_000],
  ['more than an hour, which is an hour', '86400', 3_600_000],
  ['a date that is over', new Date(-1_000).toUTCString(), undefined],
  ['what cannot be read', 'soon', undefined],
  ['nothing', undefined, undefined],
])('Retry-After of an unavailable consumer can be %s', async (_what, given, retryAfterMs) => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(503, given === undefined ? {} : { 'retry-after': given }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sender = createWebhookSender({ privateAddresses: true, plainHttp: true }, {})
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const sent = await sender.send(url, [generateWebhookSecret()], MESSAGE as never, new Date(0))
  const asked = retryAfterMs === undefined ? {} : { retryAfterMs }
  expect(sent).toEqual({ kind: 'failed', httpStatus: 503, error: 'answered 503', ...asked })
  await sender.close()
  server.close()
})
