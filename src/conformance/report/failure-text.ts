/** Failed cases for a terminal: in short by cause, or each one with all of its calls. */

import { signedBytesLines } from '../../wallet-client/signed-bytes.ts'
import { clausesOf, placeOf } from '../clauses.ts'
import type { Exchange } from '../exchange.ts'
import type { Cause } from './causes.ts'
import { againText, type CaseResult, type Failure, type Report } from './report.ts'

export type Paint = (style: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string

/** Calls of the first case of a cause, without those of the kit itself. */
const MAX_CALLS = 6
/** Further cases of a cause with a line each; the others by their ids. */
const MAX_CASES = 4
/** Characters of what was seen in a further case. */
const MAX_WHY = 160
/** Exchanges of a failed case that --verbose shows: the last ones; a report file has more. */
const MAX_EXCHANGES = 12
/** Characters of a body that are shown: more than a Place bet has. */
const MAX_BODY_CHARS = 2_000

export function causeText({ change, results, refused }: Cause, paint: Paint): string[] {
  const [first, ...others] = results
  if (first === undefined) return []
  const listed = others.slice(0, MAX_CASES)
  const rest = others.slice(MAX_CASES).map(({ id }) => id)
  return [
    paint('red', `✗ ${first.level}  To change: ${change}`),
    ...firstText(first, paint),
    ...(refused === undefined ? [] : signedBytesLines(refused.request.body).map((line) => `    ${line}`)),
    ...listed.flatMap((result) => furtherText(result, paint)),
    ...(rest.length === 0 ? [] : [`  and ${rest.length} more: ${rest.join(' ')}`]),
    '',
  ]
}

function firstText({ id, sentence, loses, clause, verdict }: CaseResult, paint: Paint): string[] {
  if (verdict.kind !== 'failed') return []
  return [
    `  ${paint('bold', `${id}  ${sentence}`)}`,
    `    lost: ${loses}`,
    `    seen: ${verdict.why}`,
    paint('dim', `    clause: ${clause} (docs/reference/${placeOf(clausesOf(clause)[0] ?? '')})`),
    ...callsText(verdict, paint),
  ]
}

/** The names of the calls, then the last one with its bytes. */
function callsText({ exchanges, repeat }: Failure, paint: Paint): string[] {
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

function furtherText({ id, level, sentence, verdict }: CaseResult, paint: Paint): string[] {
  if (verdict.kind !== 'failed') return []
  const why = verdict.why.length > MAX_WHY ? `${verdict.why.slice(0, MAX_WHY)}…` : verdict.why
  return [`  ${paint('bold', `${id}  ${sentence}`)}${level === 'MUST' ? '' : '  (SHOULD)'}`, `    seen: ${why}`]
}

export function failureText(report: Report, result: CaseResult, paint: Paint): string[] {
  const { verdict, id, level, sentence, loses, clause } = result
  if (verdict.kind !== 'failed') return []
  const shown = verdict.exchanges.slice(-MAX_EXCHANGES)
  const hidden = verdict.exchanges.length - shown.length
  const again = againText(report, result)
  return [
    paint('red', `✗ ${id}  ${level}  ${sentence}`),
    `  ${paint('bold', loses)}`,
    `  ${clause}`,
    `  ${verdict.why}`,
    ...(hidden === 0 ? [] : [paint('dim', `  … ${hidden} exchanges before these`)]),
    ...shown.flatMap((exchange) => exchangeText(exchange, paint)),
    ...(again === '' ? [] : [`  again: ${again}`]),
    ...(verdict.repeat === '' ? [] : [`  the last call: ${verdict.repeat}`]),
    '',
  ]
}

function exchangeText(exchange: Exchange, paint: Paint): string[] {
  const { what, request, durationMs } = exchange
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return [
    `  ${paint('bold', what)} ${paint('dim', `${Math.trunc(durationMs)} ms`)}`,
    paint('dim', `    ${request.method} ${request.url}  ${headers.join('  ')}`),
    ...bodiesText(exchange),
  ]
}

function bodiesText({ request, answer }: Exchange): string[] {
  const cut = (text: string) => (text.length > MAX_BODY_CHARS ? `${text.slice(0, MAX_BODY_CHARS)} …` : text)
  const came = answer.kind === 'none' ? answer.why : `${answer.status} ${cut(answer.body)}`
  return [`    > ${cut(request.body)}`, `    < ${came}`]
}
