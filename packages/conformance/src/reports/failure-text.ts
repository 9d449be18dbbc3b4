/** Terminal text of failed cases: short and grouped by cause, or each case with all its calls. */

import { formatSignedBytes } from '@purser/protocol/client/signed-bytes'
import { splitClauses, toClausePath } from '../clauses.ts'
import type { Exchange } from '../http-exchange.ts'
import { type CaseFailure, type CaseResult, type ConformanceReport, formatRerunOfCase } from './conformance-report.ts'
import type { FailureCause } from './failure-causes.ts'

export type ReportPaint = (style: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string

/** Calls of the first case of a cause, without the kit's own calls. */
const MAX_CALLS = 6
/** Further cases of a cause with their own lines. The others are listed by id. */
const MAX_CASES = 4
/** Characters of the finding of a further case. */
const MAX_WHY = 160
/** The last exchanges of a failed case with --verbose. A report file has more. */
const MAX_EXCHANGES = 12
/** Characters of a shown body. A Place bet is shorter. */
const MAX_BODY_CHARS = 2_000

export function formatCause({ change, results, refused }: FailureCause, paint: ReportPaint): string[] {
  const [first, ...others] = results
  if (first === undefined) return []
  const listed = others.slice(0, MAX_CASES)
  const rest = others.slice(MAX_CASES).map(({ id }) => id)
  return [
    paint('red', `✗ ${first.level}  To change: ${change}`),
    ...firstText(first, paint),
    ...(refused === undefined ? [] : formatSignedBytes(refused.request.body).map((line) => `    ${line}`)),
    ...listed.flatMap((result) => furtherText(result, paint)),
    ...(rest.length === 0 ? [] : [`  and ${rest.length} more: ${rest.join(' ')}`]),
    '',
  ]
}

function firstText({ id, sentence, loses, clause, verdict }: CaseResult, paint: ReportPaint): string[] {
  if (verdict.kind !== 'failed') return []
  return [
    `  ${paint('bold', `${id}  ${sentence}`)}`,
    `    effect: ${loses}`,
    `    seen: ${verdict.why}`,
    paint('dim', `    clause: ${clause} (docs/reference/${toClausePath(splitClauses(clause)[0] ?? '')})`),
    ...callsText(verdict, paint),
  ]
}

function callsText({ exchanges, repeat }: CaseFailure, paint: ReportPaint): string[] {
  const calls = exchanges.filter(({ isLook }) => isLook !== true)
  const last = calls.at(-1)
  const shown = calls.slice(-MAX_CALLS)
  const hidden = calls.length - shown.length
  return [
    ...(hidden === 0 ? [] : [paint('dim', `    … ${hidden} calls before these`)]),
    ...shown.map(({ what, answer }) => `    ${what} → ${answer.kind === 'none' ? answer.why : answer.status}`),
    ...(last === undefined ? [] : bodiesText(last)),
    ...(repeat === '' ? [] : [`    the last call: ${repeat}`]),
  ]
}

function furtherText({ id, level, sentence, verdict }: CaseResult, paint: ReportPaint): string[] {
  if (verdict.kind !== 'failed') return []
  const why = verdict.why.length > MAX_WHY ? `${verdict.why.slice(0, MAX_WHY)}…` : verdict.why
  return [`  ${paint('bold', `${id}  ${sentence}`)}${level === 'MUST' ? '' : '  (SHOULD)'}`, `    seen: ${why}`]
}

export function formatFailure(report: ConformanceReport, result: CaseResult, paint: ReportPaint): string[] {
  const { verdict, id, level, sentence, loses, clause } = result
  if (verdict.kind !== 'failed') return []
  const shown = verdict.exchanges.slice(-MAX_EXCHANGES)
  const hidden = verdict.exchanges.length - shown.length
  const rerun = formatRerunOfCase(report, result)
  return [
    paint('red', `✗ ${id}  ${level}  ${sentence}`),
    `  ${paint('bold', loses)}`,
    `  ${clause}`,
    `  ${verdict.why}`,
    ...(hidden === 0 ? [] : [paint('dim', `  … ${hidden} exchanges before these`)]),
    ...shown.flatMap((exchange) => exchangeText(exchange, paint)),
    ...(rerun === '' ? [] : [`  again: ${rerun}`]),
    ...(verdict.repeat === '' ? [] : [`  the last call: ${verdict.repeat}`]),
    '',
  ]
}

function exchangeText(exchange: Exchange, paint: ReportPaint): string[] {
  const { what, request, durationMs } = exchange
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return [
    `  ${paint('bold', what)} ${paint('dim', `${Math.trunc(durationMs)} ms`)}`,
    paint('dim', `    ${request.method} ${request.url}  ${headers.join('  ')}`),
    ...bodiesText(exchange),
  ]
}

function bodiesText({ request, answer }: Exchange): string[] {
  const truncate = (text: string) => (text.length > MAX_BODY_CHARS ? `${text.slice(0, MAX_BODY_CHARS)} …` : text)
  const received = answer.kind === 'none' ? answer.why : `${answer.status} ${truncate(answer.body)}`
  return [`    > ${truncate(request.body)}`, `    < ${received}`]
}
