/**
 * HTTP connections to one wallet.
 *
 * Platform, gateway, load test and conformance kit read answers in the same way here, so the kit
 * rejects no answer that the platform accepts.
 */

import { timeouts } from '@purser/runtime/async/timeouts'
import { withTlsAdvice } from '@purser/runtime/errors/tls-error'
import { type ConnectionSettings, tlsOptionsOf } from '@purser/runtime/network/connection-settings'
import { type Dispatcher, Pool } from 'undici'
import { ANYWHERE, type Reach, trimEndSlashes } from '../../values/base-url.ts'
import type { UnknownReason } from '../answer-classification.ts'
import { ignoreContinue } from './ignore-100-continue.ts'
import { type ConnectionTimer, createConnectionTimer, type RequestTiming } from './request-timing.ts'
import { createGuardedConnector } from './ssrf-guard.ts'

export interface ConnectionPool {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean
  /** Waits for the requests in progress. */
  close(): Promise<void>
}

/** Callers use `network.open`, so that a simulation can replace it. */
export const network = {
  open: (origin: string, options: Pool.Options): ConnectionPool => new Pool(origin, options),
}

export interface ConnectionOptions {
  /** The paths of requests are appended. */
  readonly baseUrl: string
  /** Maximum number of connections, and of calls at the same time. */
  readonly connections: number
  /** Milliseconds to open a connection. */
  readonly connectMs: number
  /** Checked at each connection. Absent: no limit. */
  readonly reach?: Reach | undefined
  /** CA and client certificate. The headers are part of each request. */
  readonly connection?: ConnectionSettings | undefined
}

export interface HttpRequest {
  readonly method: string
  /** Appended to the path of the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Null if the request has no body. */
  readonly body: Uint8Array | null
  /** Milliseconds in total: wait for a connection, connect, headers and body (C-2). */
  readonly timeoutMs: number
}

export type ExchangeResult = (
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly contentType: string
      readonly body: Buffer
      /** The header `Retry-After`. */
      readonly retryAfter?: string | undefined
    }
  /**
   * The wallet may or may not have received the request. `status`: null if none arrived in time.
   */
  | { readonly kind: 'failed'; readonly reason: UnknownReason; readonly detail: string; readonly status: number | null }
) & { readonly phases?: RequestTiming }

export interface WalletConnection {
  /** Never rejects. */
  send(request: HttpRequest): Promise<ExchangeResult>
  /** Waits for the requests in progress. */
  close(): Promise<void>
}

/** Bytes. A standard answer has about 100. */
const MAX_ANSWER_BYTES = 64 * 1024

export function openWalletConnection(options: ConnectionOptions): WalletConnection {
  const { baseUrl, connections, connectMs, reach = ANYWHERE, connection = {} } = options
  const base = new URL(baseUrl)
  const tls = tlsOptionsOf(connection)
  const timer = createConnectionTimer(ignoreContinue(createGuardedConnector(reach, { timeout: connectMs, ...tls })))
  const pool = network.open(base.origin, {
    connections,
    pipelining: 1,
    connect: timer.connect,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  })
  const context = { pool, timer, prefix: trimEndSlashes(base.pathname) }
  return { send: (request) => sendRequest(context, request), close: () => pool.close() }
}

interface ConnectionContext {
  readonly pool: ConnectionPool
  readonly timer: ConnectionTimer
  /** The path of the base URL. */
  readonly prefix: string
}

/** The result is set once. A request that times out before it has a connection is never sent. */
function sendRequest({ pool, timer, prefix }: ConnectionContext, request: HttpRequest): Promise<ExchangeResult> {
  const { method, path, headers, body, timeoutMs } = request
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let status: number | null = null
    let contentType = ''
    let retryAfter: string | undefined
    let dispatchController: Dispatcher.DispatchController | undefined
    let isOver = false
    const timing = timer.startTiming()
    const end = (result: ExchangeResult) => {
      if (isOver) return
      isOver = true
      stopTimer()
      resolve(withPhases(result, timing.finish()))
    }
    const giveUp = () => {
      end(toFailedExchange('time_out', `no complete answer within ${timeoutMs} ms`, status))
      dispatchController?.abort(GIVEN_UP)
    }
    const stopTimer = timeouts.after(timeoutMs, giveUp)
    pool.dispatch(
      { method: method as Dispatcher.HttpMethod, path: prefix + path, headers, body },
      {
        onRequestStart(controller) {
          dispatchController = controller
          timing.markSending()
          if (isOver) controller.abort(GIVEN_UP)
        },
        onResponseStart(_controller, statusCode, received) {
          if (statusCode < FIRST_FINAL_STATUS) return
          status = statusCode
          contentType = String(received['content-type'] ?? '')
          retryAfter = received['retry-after']?.toString()
          timing.markFirstByte()
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          end({ kind: 'answered', status: status ?? 0, contentType, body: stripMark(concatChunks(chunks)), retryAfter })
        },
        onResponseError(_controller, error) {
          end(toFailure(error, status))
        },
      },
    )
  })
}

/** The members are written out, because a spread makes a call several times as expensive. */
function withPhases(result: ExchangeResult, phases: RequestTiming): ExchangeResult {
  if (result.kind === 'answered') {
    const { status, contentType, body, retryAfter } = result
    return { kind: 'answered', status, contentType, body, retryAfter, phases }
  }
  const { reason, detail, status } = result
  return { kind: 'failed', reason, detail, status, phases }
}

const GIVEN_UP = new Error('given up')
const FIRST_FINAL_STATUS = 200

function concatChunks(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
}

function toFailure(error: Error, status: number | null): ExchangeResult {
  const code = errorCodeOf(error)
  if (code === RESPONSE_TOO_LARGE)
    return toFailedExchange('unreadable_body', `more than ${MAX_ANSWER_BYTES} bytes`, status)
  return toFailedExchange(code === CONNECT_TIMEOUT ? 'time_out' : 'network', describeError(error), status)
}

/** Some servers write a byte order mark before every text. It is not part of the answer (C-11). */
function stripMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

export function toFailedExchange(reason: UnknownReason, detail: string, status: number | null): ExchangeResult {
  return { kind: 'failed', reason, detail, status }
}

const RESPONSE_TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT'

function errorCodeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function describeError(error: Error): string {
  const code = errorCodeOf(error)
  const text = code === undefined ? error.message : `${code}: ${error.message}`
  return withTlsAdvice(text, error)
}
