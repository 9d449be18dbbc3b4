/**
 * Client for calls to one wallet. It signs and sends the exact text, limits the call to 5 s, and
 * classifies the answer.
 */

import { environment } from '@purser/runtime/environment'
import type { ConnectionSettings } from '@purser/runtime/network/connection-settings'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'
import type { Attributes, Span, Tracing } from '@purser/runtime/tracing'
import type { UserAgentPart } from '@purser/runtime/version'
import { OPERATIONS, type Operation } from '../operation.ts'
import type { Reach } from '../values/base-url.ts'
import { LIMITS } from '../wire-limits.ts'
import { type CallOutcome, classifyAnswer } from './answer-classification.ts'
import { beginAttemptSpan, endAttemptSpan } from './attempt-span.ts'
import type { RequestTiming } from './network/request-timing.ts'
import type { ExchangeResult } from './network/wallet-connection.ts'
import { openSignedConnection } from './signed-connection.ts'

export interface WalletClientOptions {
  /** The partner's base address. The paths of the interface are appended. */
  readonly baseUrl: string
  /** The first secret signs. If it is rejected, the next one signs (C-13). */
  readonly secrets: readonly string[]
  /** Maximum number of connections, and of calls at the same time. */
  readonly connections?: number
  /** Milliseconds in total: connect, headers and body (C-2). */
  readonly timeoutMs?: number
  readonly tracing?: Tracing | undefined
  /** Checked at each connection. Absent: no limit. */
  readonly reach?: Reach | undefined
  /** Named in the header `User-Agent`. Default: platform. */
  readonly part?: UserAgentPart
  /** Sent with each call. */
  readonly headers?: ExtraHeaders | undefined
  readonly connection?: ConnectionSettings | undefined
}

export interface WalletAnswer {
  readonly outcome: CallOutcome
  /** Null if no status arrived in time. */
  readonly status: number | null
  /** The received body, at most MAX_RECORDED characters. The player's token is redacted. */
  readonly body: string
  readonly durationMs: number
  /** The header `Retry-After`. */
  readonly retryAfter?: string | undefined
  /** The timing of the last try, if several secrets were tried (C-13). */
  readonly phases?: RequestTiming | undefined
}

/** `below`: the parent span. */
export interface AttemptTrace {
  readonly below?: Span | undefined
  readonly attributes?: Attributes
}

export interface WalletClient {
  /** Sends exactly `body`. The answer must have the same `transactionId`. Never rejects. */
  call(operation: Operation, body: string, transactionId?: string, trace?: AttemptTrace): Promise<WalletAnswer>
  /** If false, callers can omit the trace of an attempt. */
  readonly isTraced: boolean
  close(): Promise<void>
}

const DEFAULT_CONNECTIONS = 64
/** Characters of a recorded body, and of the message in it. */
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

/** The record of a call that was not made. */
export function toNotCalledAnswer(detail: string): WalletAnswer {
  return { outcome: { kind: 'unknown', reason: 'network', detail }, status: null, body: '', durationMs: 0 }
}

function toCallOutcome(operation: Operation, result: ExchangeResult, transactionId?: string): CallOutcome {
  if (result.kind === 'answered') return classifyAnswer(operation, result, transactionId)
  const { reason, detail } = result
  return { kind: 'unknown', reason, detail }
}

const TOKEN = /"token":("(?:[^"\\]|\\.)*")/

/**
 * Removes the player's token, because some wallets repeat the request in an error. Not every user
 * who reads recorded answers may see tokens.
 */
function createTokenRedactor(sent: string): (text: string) => string {
  const written = TOKEN.exec(sent)?.[1]
  const token = written === undefined ? '' : String(JSON.parse(written))
  if (token === '') return (text) => text
  const forms = tokenSpellings(token)
  return (text) => forms.reduce((rest, spelling) => rest.replaceAll(spelling, '(token)'), text)
}

/** Spellings of the text: as it is, in JSON, and in JSON within JSON. */
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
