/** A failed case on the page: what it costs, what was seen, the call that decided, all calls, the command that repeats it. */

import { escaped } from '../../runtime/markup.ts'
import type { Exchange } from '../exchange.ts'
import { pictureHtml } from './picture.ts'
import { againText, type CaseResult, type Failure, isCounted, type Report } from './report.ts'

/** Characters of a body that are shown; no call of the interface needs so many. */
const MAX_BODY_CHARS = 8_000
/** Characters of an answer that stand beside the name of its call. */
const MAX_GLANCE_CHARS = 130

export function failureHtml(report: Report, result: CaseResult): string {
  const { id, level, sentence, clause, loses, verdict, expected } = result
  if (verdict.kind !== 'failed') return ''
  return [
    `<article id="${escaped(id)}" class="${isCounted(report, result) ? 'counted' : 'uncounted'}">`,
    `<h3><a href="#${escaped(id)}"><code>${escaped(id)}</code></a> <span class="level">${level}</span> ${escaped(sentence)}</h3>`,
    `<p class="loses">${escaped(loses)}</p>`,
    `<p class="why">${escaped(verdict.why)}</p>`,
    ...(expected === undefined ? [] : [`<p class="expected">Expected: ${escaped(expected)}</p>`]),
    `<p class="clause">${escaped(clause)}</p>`,
    ...pictureHtml(verdict.exchanges),
    ...callsHtml(verdict, againText(report, result)),
    '</article>',
  ].join('\n')
}

function callsHtml({ exchanges, repeat }: Failure, again: string): string[] {
  const count = exchanges.length === 1 ? 'The call' : `All ${exchanges.length} calls, the last one decided`
  return [
    ...(exchanges.length === 0
      ? []
      : [`<details><summary>${count}</summary>`, `<ol>${exchanges.map(exchangeHtml).join('\n')}</ol>`, '</details>']),
    ...commandHtml('Judge it again', again),
    ...commandHtml('Send the last call again', repeat),
  ]
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
