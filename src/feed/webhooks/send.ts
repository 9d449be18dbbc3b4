/** One attempt to deliver a message over HTTP. Only 2xx is a yes; nobody is followed elsewhere. */
import { Agent, request } from 'undici'
import type { Reach } from '../../protocol/base-url.ts'
import { type ConnectionSettings, tlsOptionsOf } from '../../runtime/connection-settings.ts'
import { readRetryAfter } from '../../runtime/retry-after.ts'
import { timeLimit } from '../../runtime/time-out.ts'
import { connectorWithin } from '../../wallet-client/base-url.ts'
import { withTlsAdvice } from '../../wallet-client/tls-advice.ts'
import { headersOf, type Message } from './signature.ts'

export type Sent =
  | { readonly kind: 'delivered'; readonly httpStatus: number }
  /** 410: the consumer does not want it any more. */
  | { readonly kind: 'gone'; readonly httpStatus: number; readonly error: string }
  /** `retryAfterMs`: what the answer asks for, bounded. */
  | { readonly kind: 'failed'; readonly httpStatus?: number; readonly error: string; readonly retryAfterMs?: number }

/** To one webhook. */
export interface Sender {
  /** Never rejects. `at` is the time of the attempt. */
  send(url: string, secrets: readonly string[], message: Message, at: Date): Promise<Sent>
  /** Gives up what is under way. */
  close(): Promise<void>
}

/** Messages at once to one consumer, each on a connection of its own. */
export const AT_ONCE = 16
/** Milliseconds for all of an attempt, as Standard Webhooks advises. */
const TIMEOUT_MS = 15_000
/** Bytes of an answer that are read, so that its connection can be used again. */
const ANSWER_BYTES = 16_384
const GONE = 410

export function createSender(reach: Reach, connection: ConnectionSettings): Sender {
  const connect = connectorWithin(reach, { timeout: TIMEOUT_MS, ...tlsOptionsOf(connection) })
  const dispatcher = new Agent({ connections: AT_ONCE, connect })
  return {
    async send(url, secrets, message, at) {
      const headers = { ...connection.headers, ...headersOf(message, secrets, at) }
      const { signal, cancel } = timeLimit(TIMEOUT_MS)
      try {
        const reply = await request(url, { method: 'POST', headers, body: message.body, dispatcher, signal })
        await reply.body.dump({ limit: ANSWER_BYTES, signal }).catch(() => {})
        return judge(reply.statusCode, readRetryAfter(reply.headers['retry-after'], at, LONGEST_ASKED_MS))
      } catch (error) {
        return { kind: 'failed', error: describe(error) }
      } finally {
        cancel()
      }
    },
    close: () => dispatcher.destroy(),
  }
}

/** Milliseconds for which a consumer can ask to be left alone. */
const LONGEST_ASKED_MS = 3_600_000
function judge(httpStatus: number, retryAfterMs: number): Sent {
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered', httpStatus }
  const error = `answered ${httpStatus}`
  return httpStatus === GONE
    ? { kind: 'gone', httpStatus, error }
    : { kind: 'failed', httpStatus, error, ...(retryAfterMs > 0 && { retryAfterMs }) }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1_000} s`
  return withTlsAdvice(error.message || error.name, error)
}
