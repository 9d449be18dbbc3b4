/** Sends exact bytes to the judged wallet and keeps what came back. wallet-client cannot be used: it only sends good requests. */
import { Pool } from 'undici'
import type { Clock } from '../../../runtime/clock.ts'
import { errorText } from '../../../runtime/error-text.ts'
import type { Exchange, ReceivedAnswer, SentRequest } from '../../exchange.ts'
import type { Headers } from '../../headers.ts'
import { type Pace, UNPACED } from '../../pace.ts'

/** Calls at once: more than any case sends together, times the cases that run side by side. */
const CONNECTIONS = 128
/** Milliseconds to wait for an answer: beyond the interface's 5 s, so that a late answer is seen as late, not as absent. */
const TIMEOUT_MS = 8_000
/** Bytes of an answer that are read and kept; a standard one has about 100, a profile some thousands. */
const MAX_ANSWER_BYTES = 256 * 1024

export type PlannedRequest = Omit<SentRequest, 'url'> & { readonly path: string }

export interface Sender extends Pace {
  /** At once: whoever sends has waited for its turn. Never rejects. */
  send(what: string, request: PlannedRequest): Promise<Exchange>
  close(): Promise<void>
}

export interface SenderOptions {
  readonly baseUrl: string
  readonly clock: Clock
  /** Sent beside those of the call. */
  readonly headers?: Headers
  readonly pace?: Pace
}

export function createSender({ baseUrl, clock, headers = {}, pace = UNPACED }: SenderOptions): Sender {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const pool = new Pool(base.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    turn: pace.turn,
    async send(what, { path, ...planned }) {
      const url = base.origin + prefix + path
      const request: SentRequest = { ...planned, url, headers: { ...headers, ...planned.headers } }
      const startedAt = clock.now()
      const start = performance.now()
      const answer = await receive(pool, prefix + path, request)
      return { what, request, answer, startedAt, durationMs: performance.now() - start }
    },
    close: () => pool.destroy(),
  }
}

async function receive(pool: Pool, path: string, { method, headers, body }: SentRequest): Promise<ReceivedAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await pool.request({
      path,
      method: method as 'POST',
      headers,
      body: body === '' ? null : Buffer.from(body),
      signal,
    })
    const { 'content-type': contentType } = response.headers
    const text = await readText(response.body)
    return { kind: 'some', status: response.statusCode, contentType: String(contentType ?? ''), body: text }
  } catch (error) {
    if (signal.aborted) return { kind: 'none', why: `no answer within ${TIMEOUT_MS} ms` }
    return { kind: 'none', why: errorText(error) }
  }
}

/** What is longer is cut: no rule looks so far. */
async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size <= MAX_ANSWER_BYTES) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
