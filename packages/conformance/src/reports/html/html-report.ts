/**
 * HTML page of the report: failures with their effect, skipped cases with the reason, passed cases.
 *
 * The page loads nothing, which its content security policy enforces. Answers of the wallet appear
 * only as escaped text.
 */

import { renderHtmlPage } from '@purser/runtime/text/html-page'
import { escapeMarkup } from '@purser/runtime/text/markup-escaping'
import { splitClauses } from '../../clauses.ts'
import {
  type CaseResult,
  type ConformanceReport,
  countVerdicts,
  findUnexpectedFailures,
  findUnexpectedPasses,
  formatSeconds,
  groupResults,
  isCertified,
  isGood,
} from '../conformance-report.ts'
import { groupByCause } from '../failure-causes.ts'
import { buildTimelineStyle } from '../failure-timeline.ts'
import { describeRunVerdict, formatNotJudged } from '../run-verdict.ts'
import { renderClauseLink, renderClauses } from './html-clauses.ts'
import { renderCause, renderFailure } from './html-failure.ts'
import { REPORT_SCRIPT, REPORT_STYLE } from './html-style.ts'

export function renderConformanceHtml(report: ConformanceReport): string {
  const title = `${report.judged === 'wallet' ? 'Wallet' : 'Platform'} conformance`
  return renderHtmlPage({
    title: `${title}: ${describeRunVerdict(report)}, ${report.target}`,
    style: `${REPORT_STYLE}${buildTimelineStyle()}`,
    script: REPORT_SCRIPT,
    body: [
      header(report, title),
      filter(report),
      '<main>',
      ...sections(report),
      '</main>',
      ...renderClauses(report),
      footer(report),
    ],
  })
}

function header(report: ConformanceReport, title: string): string {
  const { target, startedAt, durationMs, notes, wasInterrupted, isStrict } = report
  const when = startedAt.toISOString()
  const remarks = [
    ...notes,
    ...formatNotJudged(report),
    isStrict ? 'a failed SHOULD fails the run, as a failed MUST does' : 'a failed SHOULD is shown and does not count',
    ...findUnexpectedPasses(report).map(({ id }) => `${id} passes, but was expected to fail`),
    ...(wasInterrupted ? ['the run was interrupted: this is a part'] : []),
  ]
  const day = `<time datetime="${when}">${when.slice(0, 10)} ${when.slice(11, 16)} UTC</time>`
  return [
    `<header class="${isCertified(report) ? 'good' : isGood(report) ? 'open' : 'bad'}">`,
    `<p class="kicker">${title}</p>`,
    `<h1>${escapeMarkup(target)} <strong>${escapeMarkup(describeRunVerdict(report))}</strong></h1>`,
    `<p>${day}, took ${formatSeconds(durationMs)} s</p>`,
    `<ul class="notes">${remarks.map((remark) => `<li>${escapeMarkup(remark)}</li>`).join('')}</ul>`,
    '</header>',
  ].join('\n')
}

/** The counts are visible without scripts. The buttons need scripts. */
function filter(report: ConformanceReport): string {
  const { passed, failedMust, failedShould, notJudged } = countVerdicts(report)
  const choices = [
    ['all', 'All', report.results.length],
    ['failed', `Failed (${failedMust} MUST, ${failedShould} SHOULD)`, failedMust + failedShould],
    ['not-judged', 'Skipped', notJudged],
    ['passed', 'Passed', passed],
  ] as const
  const buttons = choices.map(
    ([name, label, count]) =>
      `<button type="button" data-show="${name}" aria-pressed="${name === 'all'}">${label} <b>${count}</b></button>`,
  )
  return `<nav aria-label="Show by verdict">${buttons.join('')}</nav>`
}

function sections(report: ConformanceReport): string[] {
  const failed = findUnexpectedFailures(report)
  const expected = ofKind(report, 'failed').filter((result) => result.expected !== undefined)
  return [
    section('failed', 'Failed', failed, () => groupByCause(failed).flatMap((cause) => renderCause(report, cause))),
    section('expected', 'Failed as expected', expected, () => expected.map((result) => renderFailure(report, result))),
    section('not-judged', 'Skipped', ofKind(report, 'not judged'), notJudgedHtml),
    section('passed', 'Passed', ofKind(report, 'passed'), (results) =>
      groupResults(results).flatMap(([group, ones]) => [`<h3>${escapeMarkup(group)}</h3>`, listHtml(ones)]),
    ),
  ].flat()
}

function ofKind({ results }: ConformanceReport, kind: CaseResult['verdict']['kind']): CaseResult[] {
  return results.filter(({ verdict }) => verdict.kind === kind)
}

function section(
  name: string,
  title: string,
  results: readonly CaseResult[],
  body: (results: readonly CaseResult[]) => readonly string[],
): string[] {
  if (results.length === 0) return []
  return [
    `<section id="${name}" aria-labelledby="h-${name}">`,
    `<h2 id="h-${name}">${title}</h2>`,
    ...body(results),
    '</section>',
  ]
}

/** Grouped by reason, because the reader can act on it. */
function notJudgedHtml(results: readonly CaseResult[]): string[] {
  const whyOf = ({ verdict }: CaseResult) => (verdict.kind === 'not judged' ? verdict.why : '')
  return [...new Set(results.map(whyOf))].flatMap((why) => [
    `<h3>${escapeMarkup(why)}</h3>`,
    listHtml(results.filter((result) => whyOf(result) === why)),
  ])
}

function listHtml(results: readonly CaseResult[]): string {
  const items = results.map(
    ({ id, level, sentence, clause }) =>
      `<li id="${escapeMarkup(id)}"><code>${escapeMarkup(id)}</code> <span class="level">${level}</span> ${escapeMarkup(sentence)} <small>${splitClauses(clause).map(renderClauseLink).join('; ')}</small></li>`,
  )
  return `<ul class="cases">${items.join('\n')}</ul>`
}

function footer({ kitVersion, interfaceVersion }: ConformanceReport): string {
  return [
    '<footer>',
    `<p>Judged by purser ${escapeMarkup(kitVersion)}; ${escapeMarkup(interfaceVersion)}.</p>`,
    '<p>MUST: the interface requires it. SHOULD: good practice where the interface does not say.',
    'Skipped: this run could not check the case, which has neither passed nor failed.</p>',
    '<p><code>masked</code> replaces a session token, a signature or a header that opens the test system, so that this page',
    'can be shared. The same command with <code>--only ID --show-tokens</code> shows it.</p>',
    '</footer>',
  ].join('\n')
}
