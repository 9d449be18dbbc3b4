/** One exchange of bytes with a wallet: signed as they are, sent, and the answer read, with the time counted over everything. */
import type { Dispatcher } from 'undici'
import { SIGNATURE_HEADER, sign } from '../protocol/signature.ts'
import { timeOut } from '../runtime/time-out.ts'
import { world } from '../runtime/world.ts'
import { refusingInside } from './base-url.ts'
import type { UnknownReason } from './classify.ts'
import { connectorOf } from './continue.ts'
import { lookup } from './lookup.ts'
import { type Connections, network } from './network.ts'
import { createPhaser, type Phaser, type Phases } from './phases.ts'
import { createSigning, isBadSignature, type Signing } from './signing.ts'

/** Where a wallet is, and what is shared with it. */
export interface WalletAddress {
  /** The partner's base address; the paths of the interface are appended. */
  readonly baseUrl: string
  /** The first signs; where it is refused, the next one does (C-13). */
  readonly secrets: readonly string[]
  /** Keep-alive connections at most, and so exchanges at once. */
  readonly connections: number
  /** Milliseconds for a connection to stand. */
  readonly connectMs: number
  /** false: its name may not lead into our own network, whatever it led to when it was saved. */
  readonly allowsInside?: boolean | undefined
}

export interface Message {
  readonly method: 'POST' | 'PUT'
  /** A path of the interface. */
  readonly path: string
  readonly body: Uint8Array
  /** Milliseconds for all of it: waiting for a connection, connect, headers and body together (C-2). */
  readonly timeoutMs: number
  /** Of the span that it belongs to, where tracing is on. */
  readonly traceparent?: string | undefined
}

export type ExchangeResult = (
  | { readonly kind: 'answered'; readonly status: number; readonly body: Buffer }
  /** Whether the wallet got the message is not known. `status` is null when none arrived in time. */
  | { readonly kind: 'failed'; readonly reason: UnknownReason; readonly detail: string; readonly status: number | null }
) & { readonly phases?: Phases }

export interface Line {
  /** Never rejects. */
  exchange(message: Message): Promise<ExchangeResult>
  /** Finishes the exchanges under way: with every secret that they may need. */
  close(): Promise<void>
}

/** Bytes of an answer that are read; a standard one has about 100. */
const MAX_ANSWER_BYTES = 64 * 1024

export function openLine({ baseUrl, secrets, connections, connectMs, allowsInside = true }: WalletAddress): Line {
  const base = new URL(baseUrl)
  const phaser = createPhaser(
    connectorOf({ timeout: connectMs, lookup: allowsInside ? lookup : refusingInside(lookup) }),
  )
  const pool = network.open(base.origin, {
    connections,
    pipelining: 1,
    connect: phaser.connect,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  })
  const prefix = base.pathname.replace(/\/$/, '')
  const [only = '', another] = secrets
  const signing = createSigning(secrets)
  const way = { pool, phaser, prefix }
  const inTurn = new Set<Promise<ExchangeResult>>()
  const exchangeCounted = (message: Message) => {
    const result = exchangeInTurn(way, signing, message)
    inTurn.add(result)
    return result.finally(() => inTurn.delete(result))
  }
  return {
    exchange: (message) => (another === undefined ? exchange(way, only, message) : exchangeCounted(message)),
    // A pool that is closing takes nothing more: what is between two secrets still needs it.
    close: () => Promise.all(inTurn).then(() => pool.close()),
  }
}

interface Way {
  readonly pool: Connections
  readonly phaser: Phaser
  /** Of every path. */
  readonly prefix: string
}

/** The time is that of all tries together; the last answer is the answer, unless a secret was not tried: then there is none. */
async function exchangeInTurn(way: Way, signing: Signing, message: Message): Promise<ExchangeResult> {
  const until = world.elapsed() + message.timeoutMs
  const [first = '', ...others] = signing.order()
  let used = first
  let result = await exchange(way, first, message)
  for (const secret of others) {
    if (!isBadSignature(result)) break
    const timeoutMs = Math.floor(until - world.elapsed())
    if (timeoutMs <= 0) return failed('time_out', 'no time was left to try every secret', null)
    used = secret
    result = await exchange(way, secret, { ...message, timeoutMs })
  }
  if (!isBadSignature(result)) signing.worked(used)
  return result
}

/**
 * Over once, whatever happens: answered, failed, or given up. What is given up before it has a connection is never sent.
 */
function exchange(
  { pool, phaser, prefix }: Way,
  secret: string,
  { method, path, body, timeoutMs, traceparent }: Message,
): Promise<ExchangeResult> {
  const headers: Record<string, string> = { 'content-type': 'application/json', [SIGNATURE_HEADER]: sign(body, secret) }
  if (traceparent !== undefined) headers.traceparent = traceparent
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let status: number | null = null
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
      { method, path: prefix + path, headers, body },
      {
        onRequestStart(controller) {
          sending = controller
          watch.sending()
          if (isOver) controller.abort(GIVEN_UP)
        },
        onResponseStart(_controller, statusCode) {
          if (statusCode < FIRST_FINAL_STATUS) return
          status = statusCode
          watch.firstByte()
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          end({ kind: 'answered', status: status ?? 0, body: withoutMark(joined(chunks)) })
        },
        onResponseError(_controller, error) {
          end(failureOf(error, status))
        },
      },
    )
  })
}

/** Written out: a spread costs a call several times as much. */
function withPhases(result: ExchangeResult, phases: Phases): ExchangeResult {
  if (result.kind === 'answered') return { kind: 'answered', status: result.status, body: result.body, phases }
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

/** C-11: the byte order mark, which some servers write before every UTF-8 text, belongs to no answer (RFC 8259, 8.1). */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

function failed(reason: UnknownReason, detail: string, status: number | null): ExchangeResult {
  return { kind: 'failed', reason, detail, status }
}

const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT'

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function describe(error: Error): string {
  const code = codeOf(error)
  return code === undefined ? error.message : `${code}: ${error.message}`
}
