/**
 * HTML of a failed case: its effect, the finding, the deciding call, all calls, and the command
 * that repeats the case.
 */

import { formatSignedBytes } from '@purser/protocol/client/signed-bytes'
import { escapeMarkup } from '@purser/runtime/text/markup-escaping'
import { splitClauses } from '../../clauses.ts'
import type { Exchange } from '../../http-exchange.ts'
import {
  type CaseFailure,
  type CaseResult,
  type ConformanceReport,
  countsAsFailure,
  formatRerunOfCase,
} from '../conformance-report.ts'
import type { FailureCause } from '../failure-causes.ts'
import { renderFailureTimeline } from '../failure-timeline.ts'
import { renderClauseLink } from './html-clauses.ts'

/** Characters of a shown body. Calls of the interface are shorter. */
const MAX_BODY_CHARS = 8_000
/** Characters of an answer next to the name of its call. */
const MAX_GLANCE_CHARS = 130

export function renderCause(report: ConformanceReport, { change, results, refused }: FailureCause): string[] {
  const bytes = refused === undefined ? [] : formatSignedBytes(refused.request.body)
  return [
    `<h3 class="change"><span class="level">${results[0]?.level ?? ''}</span> To change: ${escapeMarkup(change)}</h3>`,
    ...(bytes.length === 0
      ? []
      : [`<pre tabindex="0" aria-label="The bytes that were signed">${escapeMarkup(bytes.join('\n'))}</pre>`]),
    ...results.map((result) => renderFailure(report, result)),
  ]
}

export function renderFailure(report: ConformanceReport, result: CaseResult): string {
  const { id, level, sentence, clause, loses, verdict, expected } = result
  if (verdict.kind !== 'failed') return ''
  return [
    `<article id="${escapeMarkup(id)}" class="${countsAsFailure(report, result) ? 'counted' : 'uncounted'}">`,
    `<h4><a href="#${escapeMarkup(id)}"><code>${escapeMarkup(id)}</code></a> <span class="level">${level}</span> ${escapeMarkup(sentence)}</h4>`,
    `<p class="loses">${escapeMarkup(loses)}</p>`,
    `<p class="why">${escapeMarkup(verdict.why)}</p>`,
    ...(expected === undefined ? [] : [`<p class="expected">Expected: ${escapeMarkup(expected)}</p>`]),
    `<p class="clause">${splitClauses(clause).map(renderClauseLink).join('; ')}</p>`,
    ...renderFailureTimeline(verdict.exchanges),
    ...callsHtml(verdict, formatRerunOfCase(report, result)),
    '</article>',
  ].join('\n')
}

function callsHtml({ exchanges, repeat }: CaseFailure, rerun: string): string[] {
  const [balanceChecks, calls] = [exchanges.filter(isBalanceCheck), exchanges.filter((one) => !isBalanceCheck(one))]
  const ofCase = calls.length === 1 ? 'The call of the case' : `The ${calls.length} calls of the case`
  return [
    ...listHtml(ofCase, calls),
    ...listHtml(`Calls of the kit itself, which look at balances: ${balanceChecks.length}`, balanceChecks),
    ...commandHtml('Judge it again', rerun),
    ...commandHtml('Send the last call again', repeat),
  ]
}

function isBalanceCheck({ isLook }: Exchange): boolean {
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
    `<pre tabindex="0" class="repeat">${escapeMarkup(command)}</pre>`,
    '</details>',
  ]
}

function exchangeHtml({ what, request, answer, durationMs, isLook }: Exchange): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const sent = [`${request.method} ${request.url}`, ...headers, '', truncate(request.body)].join('\n')
  const [status, rest] = answer.kind === 'none' ? ['–', answer.why] : [String(answer.status), answer.body]
  const received =
    answer.kind === 'none' ? answer.why : [`${status} ${answer.contentType}`, '', truncate(rest)].join('\n')
  return [
    `<li${isLook ? ' class="look"' : ''}><details>`,
    `<summary><b>${escapeMarkup(what)}</b> → ${status} <small>${escapeMarkup(rest.slice(0, MAX_GLANCE_CHARS))}</small></summary>`,
    `<pre tabindex="0" aria-label="Request">${escapeMarkup(sent)}</pre>`,
    `<pre tabindex="0" aria-label="Answer" class="answer">${escapeMarkup(received)}</pre>`,
    `<small>${Math.trunc(durationMs)} ms</small></details></li>`,
  ].join('\n')
}

function truncate(text: string): string {
  return text.length > MAX_BODY_CHARS ? `${text.slice(0, MAX_BODY_CHARS)} … ${text.length} characters` : text
}
