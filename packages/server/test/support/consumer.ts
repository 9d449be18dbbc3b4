/**
 * A consumer of webhooks: an HTTP server that records each message and answers as the test decides.
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FeedEvent } from '../operator/feed-reader.ts'

export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly type: string
  readonly data: FeedEvent
  readonly receivedAt: number
  readonly status: number
}

export interface Consumer {
  readonly url: string
  readonly port: number
  /** In the order of arrival, including rejected ones. */
  readonly messages: WebhookMessage[]
  /** Returns the status for each following message; 200 by default. */
  answer: (type: string, data: WebhookMessage['data']) => number
  /**
   * Resolves once this number of messages, or of messages that match `is`, was answered with 200.
   */
  until(count: number, is?: (message: WebhookMessage) => boolean): Promise<WebhookMessage[]>
  close(): Promise<void>
}

/** `onMessage` receives the messages instead, for tests with too many messages for memory. */
export async function startConsumer(port = 0, onMessage?: (message: WebhookMessage) => void): Promise<Consumer> {
  const messages: WebhookMessage[] = []
  const hear = onMessage ?? ((one) => void messages.push(one))
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const { type, data } = JSON.parse(text)
    const status = consumer.answer(type, data)
    const headers = request.headers as Record<string, string>
    hear({ headers, text, type, data, receivedAt: Date.now(), status })
    response.writeHead(status).end()
    for (const look of waiting) look()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const used = (server.address() as AddressInfo).port
  const consumer: Consumer = {
    url: `http://127.0.0.1:${used}/hook?for=tests`,
    port: used,
    messages,
    answer: () => 200,
    until: (count, is = () => true) =>
      new Promise((resolve) => {
        const look = () => {
          const found = messages.filter((one) => one.status === 200 && is(one))
          if (found.length < count) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return consumer
}

/**
 * Verifies as the specification (standardwebhooks.com) requires, without our own code. The result
 * has one element per signature.
 */
export function verifies(secret: string, { headers, text }: Pick<WebhookMessage, 'headers' | 'text'>): boolean[] {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const expected = createHmac('sha256', key).update(content).digest('base64')
  return (headers['webhook-signature'] ?? '').split(' ').map((one) => one === `v1,${expected}`)
}
