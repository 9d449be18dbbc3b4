/** One exchange of bytes with a wallet: signed as they are, sent, and the answer read, with the time counted over everything. */
import { Pool } from 'undici'
import { SIGNATURE_HEADER, sign } from '../protocol/signature.ts'
import type { UnknownReason } from './classify.ts'
import { connectorOf } from './continue.ts'
import { lookup } from './lookup.ts'

/** Where a wallet is, and what is shared with it. */
export interface WalletAddress {
  /** The partner's base address; the paths of the interface are appended. */
  readonly baseUrl: string
  readonly secret: string
  /** Keep-alive connections at most, and so exchanges at once. */
  readonly connections: number
  /** Milliseconds for a connection to stand; an exchange cannot be given up while its connection is being made. */
  readonly connectMs: number
}

export interface Message {
  readonly method: 'POST' | 'PUT'
  /** A path of the interface. */
  readonly path: string
  readonly body: Uint8Array
  /** Aborted when the time is over: that of waiting for a connection, connect, headers and body together (C-2). */
  readonly signal: AbortSignal
  /** How long that time is, in milliseconds, for the record. */
  readonly timeoutMs: number
}

export type ExchangeResult =
  | { readonly kind: 'answered'; readonly status: number; readonly body: Buffer }
  /** Whether the wallet got the message is not known. `status` is null when none arrived in time. */
  | { readonly kind: 'failed'; readonly reason: UnknownReason; readonly detail: string; readonly status: number | null }

export interface Line {
  /** Never rejects. */
  exchange(message: Message): Promise<ExchangeResult>
  /** Finishes the exchanges under way. */
  close(): Promise<void>
}

/** Bytes of an answer that are read; a standard one has about 100. */
const MAX_ANSWER_BYTES = 64 * 1024

export function openLine({ baseUrl, secret, connections, connectMs }: WalletAddress): Line {
  const base = new URL(baseUrl)
  const pool = new Pool(base.origin, {
    connections,
    pipelining: 1,
    connect: connectorOf({ timeout: connectMs, lookup }),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  })
  const prefix = base.pathname.replace(/\/$/, '')
  return {
    exchange: (message) => exchange(pool, secret, { ...message, path: prefix + message.path }),
    close: () => pool.close(),
  }
}

async function exchange(pool: Pool, secret: string, message: Message): Promise<ExchangeResult> {
  const { method, path, body, signal, timeoutMs } = message
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: sign(body, secret) }
  let status: number | null = null
  try {
    const response = await pool.request({ method, path, headers, body, signal })
    status = response.statusCode
    const { buffer, byteOffset, byteLength } = await response.body.bytes()
    return { kind: 'answered', status, body: withoutMark(Buffer.from(buffer, byteOffset, byteLength)) }
  } catch (error) {
    if (codeOf(error) === TOO_LARGE) return failed('unreadable_body', `more than ${MAX_ANSWER_BYTES} bytes`, status)
    if (signal.aborted) return failed('time_out', `no complete answer within ${timeoutMs} ms`, status)
    return failed(codeOf(error) === CONNECT_TIMEOUT ? 'time_out' : 'network', describe(error), status)
  }
}

/** C-11: the byte order mark, which some servers write before every UTF-8 text, belongs to no answer (RFC 8259, 8.1). */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

function failed(reason: UnknownReason, detail: string, status: number | null): ExchangeResult {
  return { kind: 'failed', reason, detail, status }
}

const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT'

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = codeOf(error)
  return code === undefined ? error.message : `${code}: ${error.message}`
}
