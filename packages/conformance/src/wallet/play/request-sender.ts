/**
 * Sender of exact bytes to the tested wallet.
 *
 * The sender shares the connection code of the platform, so that kit and platform read answers
 * alike. The cases make bodies and signatures, because the platform's client can send only correct
 * requests.
 */
import { isUtf8 } from 'node:buffer'
import { openWalletConnection, type WalletConnection } from '@purser/protocol/client/network/wallet-connection'
import { trimEndSlashes } from '@purser/protocol/values/base-url'
import type { Clock } from '@purser/runtime/clock'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'
import { userAgent } from '@purser/runtime/version'
import type { Exchange, ReceivedAnswer, SentRequest } from '../../http-exchange.ts'
import { type CallRateLimiter, NO_RATE_LIMIT } from '../../rate-limiter.ts'

/** More than the concurrent calls of a case, times the cases that run in parallel. */
const CONNECTIONS = 128
/**
 * Milliseconds. Longer than the 5 s of the interface, so that a late answer is recorded as late.
 */
const TIMEOUT_MS = 8_000

export type PlannedRequest = Omit<SentRequest, 'url'> & { readonly path: string }

export interface RequestSender extends CallRateLimiter {
  /** Sends at once, so callers use `acquire` before. Never rejects. */
  send(what: string, request: PlannedRequest): Promise<Exchange>
  close(): Promise<void>
}

export interface RequestSenderOptions {
  readonly baseUrl: string
  readonly clock: Clock
  /** Sent in addition to the headers of the call. */
  readonly headers?: ExtraHeaders
  readonly pace?: CallRateLimiter
}

export function createRequestSender({
  baseUrl,
  clock,
  headers = {},
  pace = NO_RATE_LIMIT,
}: RequestSenderOptions): RequestSender {
  const connection = openWalletConnection({ baseUrl, connections: CONNECTIONS, connectMs: TIMEOUT_MS })
  const base = trimEndSlashes(baseUrl)
  return {
    acquire: pace.acquire,
    async send(what, { path, ...planned }) {
      const request: SentRequest = { ...planned, url: base + path, headers: { ...headers, ...planned.headers } }
      const startedAt = clock.now()
      const start = performance.now()
      const answer = await sendAndReceive(connection, path, request)
      return { what, request, answer, startedAt, durationMs: performance.now() - start }
    },
    close: () => connection.close(),
  }
}

async function sendAndReceive(
  connection: WalletConnection,
  path: string,
  request: SentRequest,
): Promise<ReceivedAnswer> {
  const { method, body } = request
  const headers = { 'user-agent': userAgent('conformance'), ...request.headers }
  const bytes = body === '' ? null : Buffer.from(body)
  const result = await connection.send({ method, path, headers, body: bytes, timeoutMs: TIMEOUT_MS })
  if (result.kind === 'failed') return { kind: 'none', why: result.detail }
  const { status, contentType, body: read } = result
  const answer = { kind: 'some', status, contentType, body: read.toString('utf8') } as const
  return isUtf8(read) ? answer : { ...answer, isNotUtf8: true }
}
