/** Sends a webhook message over HTTP, once. Only 2xx is a success; redirects are not followed. */

import { createGuardedConnector } from '@purser/protocol/client/network/ssrf-guard'
import type { Reach } from '@purser/protocol/values/base-url'
import { timeoutSignal } from '@purser/runtime/async/timeouts'
import { withTlsAdvice } from '@purser/runtime/errors/tls-error'
import { type ConnectionSettings, tlsOptionsOf } from '@purser/runtime/network/connection-settings'
import { parseRetryAfter } from '@purser/runtime/network/retry-after'
import { Agent, request } from 'undici'
import { buildWebhookHeaders, type WebhookMessage } from './webhook-signature.ts'

export type WebhookSendResult =
  | { readonly kind: 'delivered'; readonly httpStatus: number }
  /** 410: the consumer wants no more messages. */
  | { readonly kind: 'gone'; readonly httpStatus: number; readonly error: string }
  /** `retryAfterMs` is bounded by MAX_RETRY_AFTER_MS. */
  | { readonly kind: 'failed'; readonly httpStatus?: number; readonly error: string; readonly retryAfterMs?: number }

export interface WebhookSender {
  /** Never rejects. `at` is the time of the attempt. */
  send(url: string, secrets: readonly string[], message: WebhookMessage, at: Date): Promise<WebhookSendResult>
  /** Aborts running requests. */
  close(): Promise<void>
}

/** Per webhook; each message has its own connection. */
export const MAX_CONCURRENT_SENDS = 16
/** Milliseconds for an attempt, as Standard Webhooks recommends. */
const TIMEOUT_MS = 15_000
/** Bytes of an answer that are read, so that its connection can be reused. */
const ANSWER_BYTES = 16_384
const GONE = 410

export function createWebhookSender(reach: Reach, connection: ConnectionSettings): WebhookSender {
  const connect = createGuardedConnector(reach, { timeout: TIMEOUT_MS, ...tlsOptionsOf(connection) })
  const dispatcher = new Agent({ connections: MAX_CONCURRENT_SENDS, connect })
  return {
    async send(url, secrets, message, at) {
      const headers = { ...connection.headers, ...buildWebhookHeaders(message, secrets, at) }
      const { signal, cancel } = timeoutSignal(TIMEOUT_MS)
      try {
        const reply = await request(url, { method: 'POST', headers, body: message.body, dispatcher, signal })
        await reply.body.dump({ limit: ANSWER_BYTES, signal }).catch(() => {})
        return classifyStatus(reply.statusCode, parseRetryAfter(reply.headers['retry-after'], at, MAX_RETRY_AFTER_MS))
      } catch (error) {
        return { kind: 'failed', error: describeError(error) }
      } finally {
        cancel()
      }
    },
    close: () => dispatcher.destroy(),
  }
}

const MAX_RETRY_AFTER_MS = 3_600_000
function classifyStatus(httpStatus: number, retryAfterMs: number): WebhookSendResult {
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered', httpStatus }
  const error = `answered ${httpStatus}`
  return httpStatus === GONE
    ? { kind: 'gone', httpStatus, error }
    : { kind: 'failed', httpStatus, error, ...(retryAfterMs > 0 && { retryAfterMs }) }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1_000} s`
  return withTlsAdvice(error.message || error.name, error)
}
