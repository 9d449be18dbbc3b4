/** One call to a wallet, seen from the caller: the exact bytes are signed and sent, 5 s are counted over everything, and the answer is classified. */
import { Pool } from 'undici'
import { LIMITS } from '../protocol/limits.ts'
import { OPERATIONS, type Operation } from '../protocol/operation.ts'
import { SIGNATURE_HEADER, sign } from '../protocol/signature.ts'
import { type CallOutcome, classify, type UnknownReason } from './classify.ts'

export interface WalletTarget {
  /** The partner's base address; the paths of the interface are appended. */
  readonly baseUrl: string
  readonly secret: string
  /** Keep-alive connections at most, and so calls at once. */
  readonly connections?: number
  /** Milliseconds over connect, headers and body (C-2). */
  readonly timeoutMs?: number
}

/** What came back, for the outcome and for the record. */
export interface Answer {
  readonly outcome: CallOutcome
  /** Null when no status arrived in time. */
  readonly status: number | null
  /** As received, up to MAX_KEPT_BODY characters, without the player's token should the answer repeat it. */
  readonly body: string
  readonly durationMs: number
}

export interface WalletClient {
  /** Sends exactly this text; `transactionId` is checked against the answer. Never rejects. */
  call(operation: Operation, body: string, transactionId?: string): Promise<Answer>
  close(): Promise<void>
}

const DEFAULT_CONNECTIONS = 64
/** Bytes of an answer that are read; a standard one has about 100. */
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_KEPT_BODY = 2_000

export function createWalletClient({
  baseUrl,
  secret,
  connections = DEFAULT_CONNECTIONS,
  timeoutMs = LIMITS.answerMs,
}: WalletTarget): WalletClient {
  const base = new URL(baseUrl)
  const pool = new Pool(base.origin, {
    connections,
    pipelining: 1,
    connect: { timeout: timeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const prefix = base.pathname.replace(/\/$/, '')
  return {
    async call(operation, body, transactionId) {
      const startedAt = performance.now()
      const { method, path } = OPERATIONS[operation]
      const result = await exchange(pool, { method, path: prefix + path, body, secret, timeoutMs })
      const durationMs = performance.now() - startedAt
      if ('reason' in result) {
        const { reason, detail, status } = result
        return { outcome: { kind: 'unknown', reason, detail }, status, body: '', durationMs }
      }
      const hide = tokenHider(body)
      const outcome = hideIn(classify(operation, result.status, result.text, transactionId), hide)
      return { outcome, status: result.status, body: hide(result.text).slice(0, MAX_KEPT_BODY), durationMs }
    },
    close: () => pool.close(),
  }
}

const TOKEN = /"token":("(?:[^"\\]|\\.)*")/

/** What a wallet says is kept and shown to people who must not see the token; some wallets repeat the request in an error. */
function tokenHider(sent: string): (text: string) => string {
  const written = TOKEN.exec(sent)?.[1]
  const token = written === undefined ? '' : String(JSON.parse(written))
  return (text) => (token === '' ? text : text.replaceAll(token, '(token)'))
}

function hideIn(outcome: CallOutcome, hide: (text: string) => string): CallOutcome {
  return outcome.kind === 'refused' ? { ...outcome, message: hide(outcome.message) } : outcome
}

interface Exchange {
  readonly method: 'POST' | 'PUT'
  readonly path: string
  readonly body: string
  readonly secret: string
  readonly timeoutMs: number
}

type ExchangeResult =
  | { status: number; text: string }
  | { reason: UnknownReason; detail: string; status: number | null }

async function exchange(pool: Pool, { method, path, body, secret, timeoutMs }: Exchange): Promise<ExchangeResult> {
  const bytes = Buffer.from(body)
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: sign(bytes, secret) }
  const signal = AbortSignal.timeout(timeoutMs)
  let status: number | null = null
  try {
    const response = await pool.request({ method, path, headers, body: bytes, signal })
    status = response.statusCode
    const text = await readText(response.body)
    return text === undefined
      ? { reason: 'unreadable_body', detail: `more than ${MAX_ANSWER_BYTES} bytes`, status }
      : { status, text }
  } catch (error) {
    if (signal.aborted) return { reason: 'time_out', detail: `no complete answer within ${timeoutMs} ms`, status }
    return { reason: isConnectTimeout(error) ? 'time_out' : 'network', detail: describe(error), status }
  }
}

/** Undefined when the answer is larger than anything that a wallet says. */
async function readText(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT'
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? `${error.code}: ${error.message}` : error.message
}
