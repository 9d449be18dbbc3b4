/**
 * HTTP connections to one wallet, and the one way in which its answers are read.
 *
 * Platform, gateway, load and kit send through here. An answer that one of them takes is so taken by
 * all: the kit accuses no wallet that the platform pays.
 */
import type { Dispatcher } from 'undici'
import { ANYWHERE, type Reach, withoutEndSlashes } from '../protocol/base-url.ts'
import { type ConnectionSettings, tlsOptionsOf } from '../runtime/connection-settings.ts'
import { timeOut } from '../runtime/time-out.ts'
import { connectorWithin } from './base-url.ts'
import type { UnknownReason } from './classify.ts'
import { passingContinue } from './continue.ts'
import { type Connections, network } from './network.ts'
import { createPhaser, type Phaser, type Phases } from './phases.ts'
import { withTlsAdvice } from './tls-advice.ts'

export interface ConnectionOptions {
  /** The paths of requests are appended. */
  readonly baseUrl: string
  /** Keep-alive connections at most, and so exchanges at once. */
  readonly connections: number
  /** Milliseconds for a connection to stand. */
  readonly connectMs: number
  /** Checked with every connection. Absent: no limit. */
  readonly reach?: Reach | undefined
  /** Its CA and client certificate; its headers are part of each request. */
  readonly connection?: ConnectionSettings | undefined
}

export interface HttpRequest {
  readonly method: string
  /** Appended to the path of the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Null: the request has none. */
  readonly body: Uint8Array | null
  /** Milliseconds over the wait for a connection, connect, headers and body (C-2). */
  readonly timeoutMs: number
}

export type ExchangeResult = (
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly contentType: string
      readonly body: Buffer
      /** The header. */
      readonly retryAfter?: string | undefined
    }
  /** Whether the wallet got the message is not known. `status` is null when none arrived in time. */
  | { readonly kind: 'failed'; readonly reason: UnknownReason; readonly detail: string; readonly status: number | null }
) & { readonly phases?: Phases }

export interface WalletConnection {
  /** Never rejects. */
  send(request: HttpRequest): Promise<ExchangeResult>
  /** Finishes the exchanges under way. */
  close(): Promise<void>
}

/** Bytes of an answer that are read; a standard one has about 100. */
const MAX_ANSWER_BYTES = 64 * 1024

export function openConnection(options: ConnectionOptions): WalletConnection {
  const { baseUrl, connections, connectMs, reach = ANYWHERE, connection = {} } = options
  const base = new URL(baseUrl)
  const tls = tlsOptionsOf(connection)
  const phaser = createPhaser(passingContinue(connectorWithin(reach, { timeout: connectMs, ...tls })))
  const pool = network.open(base.origin, {
    connections,
    pipelining: 1,
    connect: phaser.connect,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  })
  const way = { pool, phaser, prefix: withoutEndSlashes(base.pathname) }
  return { send: (request) => send(way, request), close: () => pool.close() }
}

interface Way {
  readonly pool: Connections
  readonly phaser: Phaser
  /** Of every path. */
  readonly prefix: string
}

/**
 * An exchange ends once: answered, failed, or given up. A request that is given up before it has a
 * connection is never sent.
 */
function send({ pool, phaser, prefix }: Way, request: HttpRequest): Promise<ExchangeResult> {
  const { method, path, headers, body, timeoutMs } = request
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let status: number | null = null
    let contentType = ''
    let retryAfter: string | undefined
    let sending: Dispatcher.DispatchController | undefined
    let isOver = false
    const watch = phaser.watch()
    const end = (result: ExchangeResult) => {
      if (isOver) return
      isOver = true
      stopTimer()
      resolve(withPhases(result, watch.end()))
    }
    const giveUp = () => {
      end(failed('time_out', `no complete answer within ${timeoutMs} ms`, status))
      sending?.abort(GIVEN_UP)
    }
    const stopTimer = timeOut.after(timeoutMs, giveUp)
    pool.dispatch(
      { method: method as Dispatcher.HttpMethod, path: prefix + path, headers, body },
      {
        onRequestStart(controller) {
          sending = controller
          watch.sending()
          if (isOver) controller.abort(GIVEN_UP)
        },
        onResponseStart(_controller, statusCode, received) {
          if (statusCode < FIRST_FINAL_STATUS) return
          status = statusCode
          contentType = String(received['content-type'] ?? '')
          retryAfter = received['retry-after']?.toString()
          watch.firstByte()
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          end({ kind: 'answered', status: status ?? 0, contentType, body: withoutMark(joined(chunks)), retryAfter })
        },
        onResponseError(_controller, error) {
          end(failureOf(error, status))
        },
      },
    )
  })
}

/** The members are written out: a spread costs a call several times as much. */
function withPhases(result: ExchangeResult, phases: Phases): ExchangeResult {
  if (result.kind === 'answered') {
    const { status, contentType, body, retryAfter } = result
    return { kind: 'answered', status, contentType, body, retryAfter, phases }
  }
  const { reason, detail, status } = result
  return { kind: 'failed', reason, detail, status, phases }
}

const GIVEN_UP = new Error('given up')
const FIRST_FINAL_STATUS = 200

function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
}

function failureOf(error: Error, status: number | null): ExchangeResult {
  const code = codeOf(error)
  if (code === TOO_LARGE) return failed('unreadable_body', `more than ${MAX_ANSWER_BYTES} bytes`, status)
  return failed(code === CONNECT_TIMEOUT ? 'time_out' : 'network', describe(error), status)
}

/** The byte order mark, which some servers write before every text, belongs to no answer (C-11). */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

export function failed(reason: UnknownReason, detail: string, status: number | null): ExchangeResult {
  return { kind: 'failed', reason, detail, status }
}

const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT'

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function describe(error: Error): string {
  const code = codeOf(error)
  const text = code === undefined ? error.message : `${code}: ${error.message}`
  return withTlsAdvice(text, error)
}
