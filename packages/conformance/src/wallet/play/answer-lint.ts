/**
 * Rules for the form of every answer of a run (interface.md, Errors and Resources). Each rule has
 * one case in answer-format-cases.ts.
 */

import { hasRefusalCode } from '@purser/protocol/client/answer-classification'
import { parseBetOperation } from '@purser/protocol/operation'
import { REPLY_CODES, type ReplyCode, replyCode } from '@purser/protocol/reply-codes'
import { LIMITS } from '@purser/protocol/wire-limits'
import type { Exchange, SentRequest } from '../../http-exchange.ts'
import { parseObject } from './answer-meaning.ts'

type Body = Readonly<Record<string, unknown>>

interface LintedAnswer {
  readonly status: number
  readonly body: Body | undefined
  readonly method: string
  readonly isAboutBet: boolean
  /** Undefined if the call concerns no bet or has no usable id. */
  readonly betId: string | undefined
  readonly isOrdinary: boolean
  /** The interface defines the answer. */
  readonly hasDefinedAnswer: boolean
  /** Undefined if the call concerns no bet. */
  readonly operation: string | undefined
  /** True for Place bet and Rollback. */
  readonly hasTimeLimit: boolean
  readonly durationMs: number
  readonly startedAt: Date
}

/** Undefined if the rule does not apply, '' for a right answer, else the fault. */
type Rule = (linted: LintedAnswer) => string | undefined

const CODES: readonly number[] = Object.values(REPLY_CODES).map(({ code }) => code)
/**
 * Rejections that the interface defines, by operation. Code 8 of a Rollback is optional, so cases
 * judge it.
 */
const DEFINED_REFUSALS: Readonly<Record<string, ReplyCode>> = {
  place: 'not_enough_money',
  settle: 'recalculation_blocked',
}
const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|\+00:?00)$/
/** Milliseconds between two clocks that are both considered right. */
const CLOCK_TOLERANCE_MS = 5 * 60_000

const isError = ({ status, isOrdinary }: LintedAnswer) => status === 400 && isOrdinary
const isPost = ({ isAboutBet, method }: LintedAnswer) => isAboutBet && method === 'POST'
const isDefinedError = (linted: LintedAnswer) => isError(linted) && linted.hasDefinedAnswer
const isBetSuccess = ({ status, betId }: LintedAnswer) => status === 200 && betId !== undefined

function isDefinedRefusal({ operation = '', body }: LintedAnswer): boolean {
  const shown = DEFINED_REFUSALS[operation]
  return shown !== undefined && body?.code === replyCode(shown)
}

function lintWhen(
  applies: (linted: LintedAnswer) => boolean,
  judge: (body: Body, linted: LintedAnswer) => string | false,
): Rule {
  return (linted) => (applies(linted) ? judge(linted.body ?? {}, linted) || '' : undefined)
}

const formatValue = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 80))

export const LINT_RULES = {
  status: lintWhen(
    ({ isOrdinary }) => isOrdinary,
    (_, { status }) => ![200, 400].includes(status) && `HTTP status ${status}`,
  ),
  'success status': lintWhen(
    ({ status, isOrdinary }) => isOrdinary && status >= 200 && status < 300,
    (_, { status }) => status !== 200 && `HTTP status ${status}`,
  ),
  'refusal status': lintWhen(
    (linted) => linted.isOrdinary && isDefinedRefusal(linted),
    ({ code }, { status }) => status !== 400 && `code ${formatValue(code)} with HTTP status ${status}`,
  ),
  'failure code': lintWhen(
    (linted) => isError(linted) && Number.isInteger(linted.body?.code) && !isPost(linted),
    ({ code }) => code === REPLY_CODES.system_error.code && `code ${formatValue(code)}`,
  ),
  'error as success': lintWhen(
    ({ status }) => status === 200,
    (body) =>
      hasRefusalCode(body) && body.userId === undefined && `HTTP status 200 with code ${formatValue(body.code)}`,
  ),
  'error body': lintWhen(isDefinedError, (_, { body }) => body === undefined && 'no JSON object in the body'),
  'error code': lintWhen(
    isDefinedError,
    ({ code }) => !Number.isInteger(code) && `code is ${formatValue(code)}, not an integer`,
  ),
  'error message': lintWhen(
    isDefinedError,
    ({ message }) => typeof message !== 'string' && `message is ${formatValue(message)}`,
  ),
  'published code': lintWhen(
    (linted) => isError(linted) && Number.isInteger(linted.body?.code),
    ({ code }) => !CODES.includes(code as number) && `code ${formatValue(code)} is not published`,
  ),
  transactionId: lintWhen(
    isBetSuccess,
    ({ transactionId }, { betId }) =>
      transactionId !== betId && `transactionId is ${formatValue(transactionId)}, not the bet's`,
  ),
  'time format': lintWhen(isBetSuccess, ({ transactionTime }) => {
    const isRight = typeof transactionTime === 'string' && UTC_TIME.test(transactionTime)
    return (
      !(isRight && !Number.isNaN(Date.parse(transactionTime))) && `transactionTime is ${formatValue(transactionTime)}`
    )
  }),
  'time is now': lintWhen(
    (linted) => isBetSuccess(linted) && !Number.isNaN(parseTransactionTime(linted)),
    ({ transactionTime }, linted) =>
      Math.abs(parseTransactionTime(linted) - linted.startedAt.getTime()) > CLOCK_TOLERANCE_MS &&
      `transactionTime is ${formatValue(transactionTime)}, asked at ${linted.startedAt.toISOString()}`,
  ),
  'in time': lintWhen(
    ({ hasTimeLimit }) => hasTimeLimit,
    (_, { durationMs }) => durationMs > LIMITS.answerMs && `after ${Math.trunc(durationMs)} ms`,
  ),
} as const satisfies Record<string, Rule>

export type LintRule = keyof typeof LINT_RULES

function parseTransactionTime({ body }: LintedAnswer): number {
  return typeof body?.transactionTime === 'string' ? Date.parse(body.transactionTime) : Number.NaN
}

export interface LintFindings {
  /** Answers to which the rule applies. */
  seen: number
  bad: number
  /** The first wrong answers. */
  readonly examples: { readonly why: string; readonly exchange: Exchange }[]
}

const MAX_EXAMPLES = 3

export interface AnswerLinter {
  inspect(exchange: Exchange, hasDefinedAnswer: boolean): void
  findings(rule: LintRule): LintFindings
}

export function createAnswerLinter(): AnswerLinter {
  const names = Object.keys(LINT_RULES) as LintRule[]
  const all = new Map(names.map((rule) => [rule, emptyFindings()]))
  return {
    inspect(exchange, hasDefinedAnswer) {
      const linted = toLintedAnswer(exchange, hasDefinedAnswer)
      if (linted === undefined) return
      for (const [rule, findings] of all) recordFinding(findings, LINT_RULES[rule](linted), exchange)
    },
    findings: (rule) => all.get(rule) ?? emptyFindings(),
  }
}

export interface FormFault {
  readonly rule: LintRule
  readonly why: string
}

/** The faults in the form of one answer. */
export function findFormFaults(exchange: Exchange, hasDefinedAnswer: boolean): readonly FormFault[] {
  const linted = toLintedAnswer(exchange, hasDefinedAnswer)
  if (linted === undefined) return []
  const rules = Object.keys(LINT_RULES) as LintRule[]
  return rules.flatMap((rule) => {
    const why = LINT_RULES[rule](linted)
    return why === undefined || why === '' ? [] : [{ rule, why }]
  })
}

function emptyFindings(): LintFindings {
  return { seen: 0, bad: 0, examples: [] }
}

function recordFinding(findings: LintFindings, found: string | undefined, exchange: Exchange): void {
  if (found === undefined) return
  findings.seen += 1
  if (found === '') return
  findings.bad += 1
  if (findings.examples.length < MAX_EXAMPLES) findings.examples.push({ why: found, exchange })
}

const KNOWN_METHODS = ['POST', 'PUT']
/** Characters. An express of 25 selections has about 8,000. */
const MAX_ORDINARY_BODY = 64 * 1024

/**
 * The interface defines no other methods, no content type and no limit of a body, so any answer is
 * right.
 */
function isOrdinary({ method, headers, body }: SentRequest): boolean {
  const isJson = headers['content-type'] === 'application/json'
  return KNOWN_METHODS.includes(method) && isJson && body.length <= MAX_ORDINARY_BODY
}

function toLintedAnswer(
  { request, answer, durationMs, startedAt }: Exchange,
  hasDefinedAnswer: boolean,
): LintedAnswer | undefined {
  if (answer.kind === 'none') return undefined
  const isAboutBet = request.url.endsWith('/payment/bet')
  const { transactionId: betId, type } = (isAboutBet && parseObject(request.body)) || {}
  return {
    ...{ method: request.method, isAboutBet },
    status: answer.status,
    body: parseObject(answer.body),
    betId: typeof betId === 'string' ? betId : undefined,
    isOrdinary: isOrdinary(request),
    hasDefinedAnswer,
    operation: (isAboutBet && parseBetOperation(request.method, type)) || undefined,
    hasTimeLimit: isAboutBet && (request.method === 'POST' || type === 3),
    durationMs,
    startedAt,
  }
}
