/** The form of every answer of a run (interface.md, Errors and Resources). One rule, one case: see cases/answers.ts. */
import { REPLY_CODES, type ReplyCode, replyCode } from '../../../protocol/codes.ts'
import { LIMITS } from '../../../protocol/limits.ts'
import { betOperationOf } from '../../../protocol/operation.ts'
import { hasCodeOfRefusal } from '../../../wallet-client/classify.ts'
import type { Exchange, SentRequest } from '../../exchange.ts'
import { readObject } from './answer.ts'

type Body = Readonly<Record<string, unknown>>

/** An answer with what the rules look at. */
interface Seen {
  readonly status: number
  readonly body: Body | undefined
  readonly method: string
  readonly isAboutBet: boolean
  /** Of the request; undefined when the call is not about a bet, or says no usable one. */
  readonly betId: string | undefined
  readonly isOrdinary: boolean
  /** The interface shows what is answered. */
  readonly isShown: boolean
  /** Place bet and the like; undefined when the call is not about a bet. */
  readonly operation: string | undefined
  /** Place bet and Rollback. */
  readonly hasTimeLimit: boolean
  readonly durationMs: number
  readonly startedAt: Date
}

/** Undefined when the rule has nothing to say about such an answer; '' when it is right; else what is wrong. */
type Rule = (seen: Seen) => string | undefined

const CODES: readonly number[] = Object.values(REPLY_CODES).map(({ code }) => code)
/** The refusals that the interface shows, by operation. That of a Rollback, 8, is a matter of each case: it may be left out. */
const SHOWN_REFUSALS: Readonly<Record<string, ReplyCode>> = {
  place: 'not_enough_money',
  settle: 'recalculation_blocked',
}
const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|\+00:?00)$/
/** Milliseconds between two clocks that are both said to be right. */
const CLOCK_TOLERANCE_MS = 5 * 60_000

const isError = ({ status, isOrdinary }: Seen) => status === 400 && isOrdinary
const isPost = ({ isAboutBet, method }: Seen) => isAboutBet && method === 'POST'
const isShownError = (seen: Seen) => isError(seen) && seen.isShown
const isBetSuccess = ({ status, betId }: Seen) => status === 200 && betId !== undefined

function isShownRefusal({ operation = '', body }: Seen): boolean {
  const shown = SHOWN_REFUSALS[operation]
  return shown !== undefined && body?.code === replyCode(shown)
}

function when(applies: (seen: Seen) => boolean, judge: (body: Body, seen: Seen) => string | false): Rule {
  return (seen) => (applies(seen) ? judge(seen.body ?? {}, seen) || '' : undefined)
}

const show = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 80))

export const LINT_RULES = {
  status: when(
    ({ isOrdinary }) => isOrdinary,
    (_, { status }) => ![200, 400].includes(status) && `HTTP status ${status}`,
  ),
  'success status': when(
    ({ status, isOrdinary }) => isOrdinary && status >= 200 && status < 300,
    (_, { status }) => status !== 200 && `HTTP status ${status}`,
  ),
  'refusal status': when(
    (seen) => seen.isOrdinary && isShownRefusal(seen),
    ({ code }, { status }) => status !== 400 && `code ${show(code)} with HTTP status ${status}`,
  ),
  'failure code': when(
    (seen) => isError(seen) && Number.isInteger(seen.body?.code) && !isPost(seen),
    ({ code }) => code === REPLY_CODES.system_error.code && `code ${show(code)}`,
  ),
  'error as success': when(
    ({ status }) => status === 200,
    (body) => hasCodeOfRefusal(body) && body.userId === undefined && `HTTP status 200 with code ${show(body.code)}`,
  ),
  'error body': when(isShownError, (_, { body }) => body === undefined && 'no JSON object in the body'),
  'error code': when(isShownError, ({ code }) => !Number.isInteger(code) && `code is ${show(code)}, not an integer`),
  'error message': when(isShownError, ({ message }) => typeof message !== 'string' && `message is ${show(message)}`),
  'published code': when(
    (seen) => isError(seen) && Number.isInteger(seen.body?.code),
    ({ code }) => !CODES.includes(code as number) && `code ${show(code)} is not published`,
  ),
  transactionId: when(
    isBetSuccess,
    ({ transactionId }, { betId }) =>
      transactionId !== betId && `transactionId is ${show(transactionId)}, not the bet's`,
  ),
  'time format': when(isBetSuccess, ({ transactionTime }) => {
    const isRight = typeof transactionTime === 'string' && UTC_TIME.test(transactionTime)
    return !(isRight && !Number.isNaN(Date.parse(transactionTime))) && `transactionTime is ${show(transactionTime)}`
  }),
  'time is now': when(
    (seen) => isBetSuccess(seen) && !Number.isNaN(timeOf(seen)),
    ({ transactionTime }, seen) =>
      Math.abs(timeOf(seen) - seen.startedAt.getTime()) > CLOCK_TOLERANCE_MS &&
      `transactionTime is ${show(transactionTime)}, asked at ${seen.startedAt.toISOString()}`,
  ),
  'in time': when(
    ({ hasTimeLimit }) => hasTimeLimit,
    (_, { durationMs }) => durationMs > LIMITS.answerMs && `after ${Math.trunc(durationMs)} ms`,
  ),
} as const satisfies Record<string, Rule>

export type LintRule = keyof typeof LINT_RULES

function timeOf({ body }: Seen): number {
  return typeof body?.transactionTime === 'string' ? Date.parse(body.transactionTime) : Number.NaN
}

/** What a rule found over the whole run. */
export interface LintFindings {
  /** Answers that the rule had something to say about. */
  seen: number
  bad: number
  /** The first bad ones, with what is wrong. */
  readonly examples: { readonly why: string; readonly exchange: Exchange }[]
}

const MAX_EXAMPLES = 3

export interface Linter {
  /** `isShown`: the interface shows what is answered to such a call. */
  look(exchange: Exchange, isShown: boolean): void
  findings(rule: LintRule): LintFindings
}

export function createLinter(): Linter {
  const names = Object.keys(LINT_RULES) as LintRule[]
  const all = new Map(names.map((rule) => [rule, emptyFindings()]))
  return {
    look(exchange, isShown) {
      const seen = see(exchange, isShown)
      if (seen === undefined) return
      for (const [rule, findings] of all) note(findings, LINT_RULES[rule](seen), exchange)
    },
    findings: (rule) => all.get(rule) ?? emptyFindings(),
  }
}

function emptyFindings(): LintFindings {
  return { seen: 0, bad: 0, examples: [] }
}

function note(findings: LintFindings, found: string | undefined, exchange: Exchange): void {
  if (found === undefined) return
  findings.seen += 1
  if (found === '') return
  findings.bad += 1
  if (findings.examples.length < MAX_EXAMPLES) findings.examples.push({ why: found, exchange })
}

const KNOWN_METHODS = ['POST', 'PUT']
/** Characters; an express of 25 selections has about 8,000. */
const MAX_ORDINARY_BODY = 64 * 1024

/** The interface has no other methods, shows no content type and no limit of a body: what it does not have may be answered in any way. */
function isOrdinary({ method, headers, body }: SentRequest): boolean {
  const isJson = headers['content-type'] === 'application/json'
  return KNOWN_METHODS.includes(method) && isJson && body.length <= MAX_ORDINARY_BODY
}

function see({ request, answer, durationMs, startedAt }: Exchange, isShown: boolean): Seen | undefined {
  if (answer.kind === 'none') return undefined
  const isAboutBet = request.url.endsWith('/payment/bet')
  const { transactionId: betId, type } = (isAboutBet && readObject(request.body)) || {}
  return {
    ...{ method: request.method, isAboutBet },
    status: answer.status,
    body: readObject(answer.body),
    betId: typeof betId === 'string' ? betId : undefined,
    isOrdinary: isOrdinary(request),
    isShown,
    operation: (isAboutBet && betOperationOf(request.method, type)) || undefined,
    hasTimeLimit: isAboutBet && (request.method === 'POST' || type === 3),
    durationMs,
    startedAt,
  }
}
