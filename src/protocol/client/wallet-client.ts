/** One call to a wallet, seen from the caller: the exact text is signed and sent, 5 s are counted over everything, and the answer is classified. */

import { environment } from '../../runtime/environment.ts'
import type { ConnectionSettings } from '../../runtime/network/connection-settings.ts'
import type { ExtraHeaders } from '../../runtime/network/extra-headers.ts'
import type { Attributes, Span, Tracing } from '../../runtime/tracing.ts'
import type { UserAgentPart } from '../../runtime/version.ts'
import { OPERATIONS, type Operation } from '../operation.ts'
import type { Reach } from '../values/base-url.ts'
import { LIMITS } from '../wire-limits.ts'
import { type CallOutcome, classifyAnswer } from './answer-classification.ts'
import { beginAttemptSpan, endAttemptSpan } from './attempt-span.ts'
import type { RequestTiming } from './network/request-timing.ts'
import type { ExchangeResult } from './network/wallet-connection.ts'
import { openSignedConnection } from './signed-connection.ts'

export interface WalletClientOptions {
  /** The partner's base address; the paths of the interface are appended. */
  readonly baseUrl: string
  /** The first signs; where it is refused, the next one does (C-13). */
  readonly secrets: readonly string[]
  /** Keep-alive connections at most, and so calls at once. */
  readonly connections?: number
  /** Milliseconds over connect, headers and body (C-2). */
  readonly timeoutMs?: number
  readonly tracing?: Tracing | undefined
  /** As a WalletAddress has it. */
  readonly reach?: Reach | undefined
  /** Whose calls they are; the platform's when absent. */
  readonly part?: UserAgentPart
  /** Sent with every call. */
  readonly headers?: ExtraHeaders | undefined
  readonly connection?: ConnectionSettings | undefined
}

/** What came back, for the outcome and for the record. */
export interface WalletAnswer {
  readonly outcome: CallOutcome
  /** Null when no status arrived in time. */
  readonly status: number | null
  /**
   * As received, up to MAX_RECORDED characters, without the player's token should the answer repeat
   * it.
   */
  readonly body: string
  readonly durationMs: number
  /** As the answer's header has it. */
  readonly retryAfter?: string | undefined
  /** Of the last exchange, where there were several (C-13). */
  readonly phases?: RequestTiming | undefined
}

/** Where an attempt belongs, in traces. */
export interface AttemptTrace {
  readonly below?: Span | undefined
  readonly attributes?: Attributes
}

export interface WalletClient {
  /** Sends exactly this text; `transactionId` is checked against the answer. Never rejects. */
  call(operation: Operation, body: string, transactionId?: string, trace?: AttemptTrace): Promise<WalletAnswer>
  /** Where it is not, nobody needs to say where an attempt belongs. */
  readonly isTraced: boolean
  close(): Promise<void>
}

const DEFAULT_CONNECTIONS = 64
/** Characters, of a body and of the message in it. */
const MAX_RECORDED = 2_000

export function createWalletClient({
  baseUrl,
  secrets,
  connections = DEFAULT_CONNECTIONS,
  timeoutMs = LIMITS.answerMs,
  tracing,
  reach,
  part = 'platform',
  headers,
  connection,
}: WalletClientOptions): WalletClient {
  const walletConnection = openSignedConnection({
    baseUrl,
    secrets,
    connections,
    connectMs: timeoutMs,
    reach,
    part,
    headers,
    connection,
  })
  return {
    isTraced: tracing !== undefined,
    async call(operation, body, transactionId, trace) {
      const startedAt = environment.monotonicNow()
      const span = tracing && beginAttemptSpan(tracing, operation, transactionId, trace)
      const { method, path } = OPERATIONS[operation]
      const result = await walletConnection.exchange({
        method,
        path,
        body: Buffer.from(body),
        timeoutMs,
        trace: span?.headers(),
      })
      const durationMs = environment.monotonicNow() - startedAt
      const redact = createTokenRedactor(body)
      const text = result.kind === 'answered' ? result.body.toString('utf8') : ''
      const outcome = redactOutcome(toCallOutcome(operation, result, transactionId), redact)
      if (span !== undefined)
        endAttemptSpan(span, result.status, outcome.kind === 'unknown' ? outcome.reason : outcome.kind)
      const retryAfter = result.kind === 'answered' ? result.retryAfter : undefined
      const { status, phases } = result
      return { outcome, status, body: redact(text).slice(0, MAX_RECORDED), durationMs, retryAfter, phases }
    },
    close: () => walletConnection.close(),
  }
}

/** For a call that was not made: what its record says instead of an answer. */
export function toNotCalledAnswer(detail: string): WalletAnswer {
  return { outcome: { kind: 'unknown', reason: 'network', detail }, status: null, body: '', durationMs: 0 }
}

function toCallOutcome(operation: Operation, result: ExchangeResult, transactionId?: string): CallOutcome {
  if (result.kind === 'answered') return classifyAnswer(operation, result, transactionId)
  const { reason, detail } = result
  return { kind: 'unknown', reason, detail }
}

const TOKEN = /"token":("(?:[^"\\]|\\.)*")/

/** What a wallet says is kept and shown to people who must not see the token; some wallets repeat the request in an error. */
function createTokenRedactor(sent: string): (text: string) => string {
  const written = TOKEN.exec(sent)?.[1]
  const token = written === undefined ? '' : String(JSON.parse(written))
  if (token === '') return (text) => text
  const forms = tokenSpellings(token)
  return (text) => forms.reduce((rest, spelling) => rest.replaceAll(spelling, '(token)'), text)
}

/** A text as it is, as JSON writes it, with and without what some writers escape too, and as a text within such a text. */
function tokenSpellings(text: string): string[] {
  const json = escapeJson(text)
  const escaped = [json, json.replaceAll('/', '\\/')].flatMap((form) => [form, escapeNonAscii(form)])
  return [...new Set([...escaped.map(escapeJson), ...escaped, text])]
}

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1)

function escapeNonAscii(text: string): string {
  return text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function redactOutcome(outcome: CallOutcome, redact: (text: string) => string): CallOutcome {
  return outcome.kind === 'refused' ? { ...outcome, message: redact(outcome.message).slice(0, MAX_RECORDED) } : outcome
}
