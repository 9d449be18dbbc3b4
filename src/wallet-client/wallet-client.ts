/** One call to a wallet, seen from the caller: the exact text is signed and sent, 5 s are counted over everything, and the answer is classified. */
import type { Reach } from '../protocol/base-url.ts'
import { LIMITS } from '../protocol/limits.ts'
import { OPERATIONS, type Operation } from '../protocol/operation.ts'
import type { ConnectionSettings } from '../runtime/connection-settings.ts'
import type { Headers } from '../runtime/headers.ts'
import type { Attributes, Span, Tracing } from '../runtime/tracing.ts'
import type { Part } from '../runtime/version.ts'
import { world } from '../runtime/world.ts'
import { type CallOutcome, classifyAnswer } from './classify.ts'
import type { ExchangeResult } from './connection.ts'
import { openLine } from './exchange.ts'
import type { Phases } from './phases.ts'
import { beginAttempt, endAttempt } from './spans.ts'

export interface WalletTarget {
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
  readonly part?: Part
  /** Sent with every call. */
  readonly headers?: Headers | undefined
  readonly connection?: ConnectionSettings | undefined
}

/** What came back, for the outcome and for the record. */
export interface Answer {
  readonly outcome: CallOutcome
  /** Null when no status arrived in time. */
  readonly status: number | null
  /** As received, up to MAX_KEPT characters, without the player's token should the answer repeat it. */
  readonly body: string
  readonly durationMs: number
  /** As the answer's header has it. */
  readonly retryAfter?: string | undefined
  /** Of the last exchange, where there were several (C-13). */
  readonly phases?: Phases | undefined
}

/** Where an attempt belongs, in traces. */
export interface Traced {
  readonly below?: Span | undefined
  readonly attributes?: Attributes
}

export interface WalletClient {
  /** Sends exactly this text; `transactionId` is checked against the answer. Never rejects. */
  call(operation: Operation, body: string, transactionId?: string, traced?: Traced): Promise<Answer>
  /** Where it is not, nobody needs to say where an attempt belongs. */
  readonly isTraced: boolean
  close(): Promise<void>
}

const DEFAULT_CONNECTIONS = 64
/** Characters, of a body and of the message in it. */
const MAX_KEPT = 2_000

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
}: WalletTarget): WalletClient {
  const line = openLine({ baseUrl, secrets, connections, connectMs: timeoutMs, reach, part, headers, connection })
  return {
    isTraced: tracing !== undefined,
    async call(operation, body, transactionId, traced) {
      const startedAt = world.elapsed()
      const span = tracing && beginAttempt(tracing, operation, transactionId, traced)
      const { method, path } = OPERATIONS[operation]
      const result = await line.exchange({
        method,
        path,
        body: Buffer.from(body),
        timeoutMs,
        trace: span?.headers(),
      })
      const durationMs = world.elapsed() - startedAt
      const hide = tokenHider(body)
      const text = result.kind === 'answered' ? result.body.toString('utf8') : ''
      const outcome = hideIn(judge(operation, result, transactionId), hide)
      if (span !== undefined)
        endAttempt(span, result.status, outcome.kind === 'unknown' ? outcome.reason : outcome.kind)
      const retryAfter = result.kind === 'answered' ? result.retryAfter : undefined
      const { status, phases } = result
      return { outcome, status, body: hide(text).slice(0, MAX_KEPT), durationMs, retryAfter, phases }
    },
    close: () => line.close(),
  }
}

/** For a call that was not made: what its record says instead of an answer. */
export function notCalled(detail: string): Answer {
  return { outcome: { kind: 'unknown', reason: 'network', detail }, status: null, body: '', durationMs: 0 }
}

function judge(operation: Operation, result: ExchangeResult, transactionId?: string): CallOutcome {
  if (result.kind === 'answered') return classifyAnswer(operation, result, transactionId)
  const { reason, detail } = result
  return { kind: 'unknown', reason, detail }
}

const TOKEN = /"token":("(?:[^"\\]|\\.)*")/

/** What a wallet says is kept and shown to people who must not see the token; some wallets repeat the request in an error. */
function tokenHider(sent: string): (text: string) => string {
  const written = TOKEN.exec(sent)?.[1]
  const token = written === undefined ? '' : String(JSON.parse(written))
  if (token === '') return (text) => text
  const spelled = spellings(token)
  return (text) => spelled.reduce((rest, spelling) => rest.replaceAll(spelling, '(token)'), text)
}

/** A text as it is, as JSON writes it, with and without what some writers escape too, and as a text within such a text. */
function spellings(text: string): string[] {
  const json = inJson(text)
  const escaped = [json, json.replaceAll('/', '\\/')].flatMap((form) => [form, inAscii(form)])
  return [...new Set([...escaped.map(inJson), ...escaped, text])]
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

function inAscii(text: string): string {
  return text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function hideIn(outcome: CallOutcome, hide: (text: string) => string): CallOutcome {
  return outcome.kind === 'refused' ? { ...outcome, message: hide(outcome.message).slice(0, MAX_KEPT) } : outcome
}
