/** A failed case on the page: what it costs, what was seen, the call that decided, all calls, the command that repeats it. */

import { escaped } from '../../runtime/markup.ts'
import { signedBytesLines } from '../../wallet-client/signed-bytes.ts'
import { clausesOf } from '../clauses.ts'
import type { Exchange } from '../exchange.ts'
import type { Cause } from './causes.ts'
import { clauseLink } from './html-clauses.ts'
import { pictureHtml } from './picture.ts'
import { againText, type CaseResult, type Failure, isCounted, type Report } from './report.ts'

/** Characters of a body that are shown; no call of the interface needs so many. */
const MAX_BODY_CHARS = 8_000
/** Characters of an answer that stand beside the name of its call. */
const MAX_GLANCE_CHARS = 130

/** What to change, and below it the cases that show it. */
export function causeHtml(report: Report, { change, results, refused }: Cause): string[] {
  const bytes = refused === undefined ? [] : signedBytesLines(refused.request.body)
  return [
    `<h3 class="change"><span class="level">${results[0]?.level ?? ''}</span> To change: ${escaped(change)}</h3>`,
    ...(bytes.length === 0
      ? []
      : [`<pre tabindex="0" aria-label="The bytes that were signed">${escaped(bytes.join('\n'))}</pre>`]),
    ...results.map((result) => failureHtml(report, result)),
  ]
}

export function failureHtml(report: Report, result: CaseResult): string {
  const { id, level, sentence, clause, loses, verdict, expected } = result
  if (verdict.kind !== 'failed') return ''
  return [
    `<article id="${escaped(id)}" class="${isCounted(report, result) ? 'counted' : 'uncounted'}">`,
    `<h4><a href="#${escaped(id)}"><code>${escaped(id)}</code></a> <span class="level">${level}</span> ${escaped(sentence)}</h4>`,
    `<p class="loses">${escaped(loses)}</p>`,
    `<p class="why">${escaped(verdict.why)}</p>`,
    ...(expected === undefined ? [] : [`<p class="expected">Expected: ${escaped(expected)}</p>`]),
    `<p class="clause">${clausesOf(clause).map(clauseLink).join('; ')}</p>`,
    ...pictureHtml(verdict.exchanges),
    ...callsHtml(verdict, againText(report, result)),
    '</article>',
  ].join('\n')
}

function callsHtml({ exchanges, repeat }: Failure, again: string): string[] {
  const [looks, calls] = [exchanges.filter(isLookOf), exchanges.filter((one) => !isLookOf(one))]
  const ofCase = calls.length === 1 ? 'The call of the case' : `The ${calls.length} calls of the case`
  return [
    ...listHtml(ofCase, calls),
    ...listHtml(`Calls of the kit itself, which look at balances: ${looks.length}`, looks),
    ...commandHtml('Judge it again', again),
    ...commandHtml('Send the last call again', repeat),
  ]
}

function isLookOf({ isLook }: Exchange): boolean {
  return isLook === true
}

function listHtml(summary: string, exchanges: readonly Exchange[]): string[] {
  if (exchanges.length === 0) return []
  return [`<details><summary>${summary}</summary>`, `<ol>${exchanges.map(exchangeHtml).join('\n')}</ol>`, '</details>']
}

function commandHtml(summary: string, command: string): string[] {
  if (command === '') return []
  return [
    `<details><summary>${summary}</summary>`,
    `<pre tabindex="0" class="repeat">${escaped(command)}</pre>`,
    '</details>',
  ]
}

/** The story is read from the summaries; the bytes are below each. */
function exchangeHtml({ what, request, answer, durationMs, isLook }: Exchange): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const sent = [`${request.method} ${request.url}`, ...headers, '', cut(request.body)].join('\n')
  const [status, rest] = answer.kind === 'none' ? ['–', answer.why] : [String(answer.status), answer.body]
  const came = answer.kind === 'none' ? answer.why : [`${status} ${answer.contentType}`, '', cut(rest)].join('\n')
  return [
    `<li${isLook ? ' class="look"' : ''}><details>`,
    `<summary><b>${escaped(what)}</b> → ${status} <small>${escaped(rest.slice(0, MAX_GLANCE_CHARS))}</small></summary>`,
    `<pre tabindex="0" aria-label="Request">${escaped(sent)}</pre>`,
    `<pre tabindex="0" aria-label="Answer" class="answer">${escaped(came)}</pre>`,
    `<small>${Math.trunc(durationMs)} ms</small></details></li>`,
  ].join('\n')
}

function cut(text: string): string {
  return text.length > MAX_BODY_CHARS ? `${text.slice(0, MAX_BODY_CHARS)} … ${text.length} characters` : text
}
