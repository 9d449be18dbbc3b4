/** Where a webhook may lead is looked at when it is called too (W-42): a name can lead elsewhere than when it was saved. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSender } from '../../src/feed/webhooks/send.ts'
import { newSecret } from '../../src/feed/webhooks/signature.ts'
import { type Consumer, startConsumer } from '../support/consumer.ts'

let consumer: Consumer
beforeAll(async () => {
  consumer = await startConsumer()
})
afterAll(() => consumer.close())

const MESSAGE = { id: 'message-1', body: JSON.stringify({ type: 'webhook.test', data: {} }) }

async function send(privateAddresses: boolean, plainHttp = true) {
  const sender = createSender({ privateAddresses, plainHttp })
  const url = consumer.url.replace('127.0.0.1', 'localhost')
  return sender.send(url, [newSecret()], MESSAGE as never, new Date()).finally(() => sender.close())
}

test('a name that leads into our own network is not called, and what stood against it is said', async () => {
  const error = 'localhost leads into a private or reserved network'
  expect(await send(false)).toEqual({ kind: 'failed', error: expect.stringContaining(error) })
  expect(consumer.told).toEqual([])
})

test('without TLS nothing is sent, where a setting refuses that', async () => {
  expect(await send(true, false)).toEqual({ kind: 'failed', error: expect.stringContaining('PURSER_PLAIN_HTTP') })
  expect(consumer.told).toEqual([])
})

test('where a setting allows it, it is', async () => {
  expect(await send(true)).toEqual({ kind: 'delivered', httpStatus: 200 })
  expect(consumer.told).toHaveLength(1)
})
