/**
 * The report as one page: failures first, each with what it costs whom; then what was not judged and why; then the rest. It asks
 * nobody for anything, which its policy enforces, and what a wallet has answered is text in it and nothing else.
 */
import { escaped } from '../../runtime/markup.ts'
import { pageHtml } from '../../runtime/page.ts'
import { clausesOf } from '../clauses.ts'
import { causesOf } from './causes.ts'
import { clauseLink, clausesHtml } from './html-clauses.ts'
import { causeHtml, failureHtml } from './html-failure.ts'
import { SCRIPT, STYLE } from './html-look.ts'
import { pictureStyle } from './picture.ts'
import {
  byGroup,
  type CaseResult,
  failuresOf,
  isCertified,
  isGood,
  needlesslyExpected,
  type Report,
  totalsOf,
} from './report.ts'
import { seconds } from './seconds.ts'
import { notJudgedLines, verdictOf } from './verdict.ts'

export function htmlReport(report: Report): string {
  const title = `${report.judged === 'wallet' ? 'Wallet' : 'Platform'} conformance`
  return pageHtml({
    title: `${title}: ${verdictOf(report)}, ${report.target}`,
    style: `${STYLE}${pictureStyle()}`,
    script: SCRIPT,
    body: [
      header(report, title),
      filter(report),
      '<main>',
      ...sections(report),
      '</main>',
      ...clausesHtml(report),
      footer(report),
    ],
  })
}

function header(report: Report, title: string): string {
  const { target, startedAt, durationMs, notes, wasInterrupted, isStrict } = report
  const when = startedAt.toISOString()
  const remarks = [
    ...notes,
    ...notJudgedLines(report),
    isStrict ? 'a SHOULD counts like a MUST' : 'a failed SHOULD is shown and does not count',
    ...needlesslyExpected(report).map(({ id }) => `${id} passes, and was expected to fail`),
    ...(wasInterrupted ? ['the run was interrupted: this is a part'] : []),
  ]
  const day = `<time datetime="${when}">${when.slice(0, 10)} ${when.slice(11, 16)} UTC</time>`
  return [
    `<header class="${isCertified(report) ? 'good' : isGood(report) ? 'open' : 'bad'}">`,
    `<p class="kicker">${title}</p>`,
    `<h1>${escaped(target)} <strong>${escaped(verdictOf(report))}</strong></h1>`,
    `<p>${day}, took ${seconds(durationMs)} s</p>`,
    `<ul class="notes">${remarks.map((remark) => `<li>${escaped(remark)}</li>`).join('')}</ul>`,
    '</header>',
  ].join('\n')
}

/** Numbers for everybody, buttons where scripts run. */
function filter(report: Report): string {
  const { passed, failedMust, failedShould, notJudged } = totalsOf(report)
  const choices = [
    ['all', 'All', report.results.length],
    ['failed', `Failed (${failedMust} MUST, ${failedShould} SHOULD)`, failedMust + failedShould],
    ['not-judged', 'Not judged', notJudged],
    ['passed', 'Passed', passed],
  ] as const
  const buttons = choices.map(
    ([name, label, count]) =>
      `<button type="button" data-show="${name}" aria-pressed="${name === 'all'}">${label} <b>${count}</b></button>`,
  )
  return `<nav aria-label="Show by verdict">${buttons.join('')}</nav>`
}

function sections(report: Report): string[] {
  const failed = failuresOf(report)
  const expected = ofKind(report, 'failed').filter((result) => result.expected !== undefined)
  return [
    section('failed', 'Failed', failed, () => causesOf(failed).flatMap((cause) => causeHtml(report, cause))),
    section('expected', 'Failed as expected', expected, () => expected.map((result) => failureHtml(report, result))),
    section('not-judged', 'Not judged', ofKind(report, 'not judged'), notJudgedHtml),
    section('passed', 'Passed', ofKind(report, 'passed'), (results) =>
      byGroup(results).flatMap(([group, ones]) => [`<h3>${escaped(group)}</h3>`, listHtml(ones)]),
    ),
  ].flat()
}

function ofKind({ results }: Report, kind: CaseResult['verdict']['kind']): CaseResult[] {
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

/** By reason: the reason is what the reader can do something about. */
function notJudgedHtml(results: readonly CaseResult[]): string[] {
  const whyOf = ({ verdict }: CaseResult) => (verdict.kind === 'not judged' ? verdict.why : '')
  return [...new Set(results.map(whyOf))].flatMap((why) => [
    `<h3>${escaped(why)}</h3>`,
    listHtml(results.filter((result) => whyOf(result) === why)),
  ])
}

function listHtml(results: readonly CaseResult[]): string {
  const items = results.map(
    ({ id, level, sentence, clause }) =>
      `<li id="${escaped(id)}"><code>${escaped(id)}</code> <span class="level">${level}</span> ${escaped(sentence)} <small>${clausesOf(clause).map(clauseLink).join('; ')}</small></li>`,
  )
  return `<ul class="cases">${items.join('\n')}</ul>`
}

function footer({ judged, kitVersion, interfaceVersion }: Report): string {
  return [
    '<footer>',
    `<p>Judged by purser ${escaped(kitVersion)}; ${escaped(interfaceVersion)}.</p>`,
    '<p>MUST: the interface says so. SHOULD: advised where the interface is silent.',
    'Not judged: could not be seen in this run; it is neither passed nor failed.</p>',
    '<p>What is called <code>masked</code> was a session token, a signature or a header that opens the test system, so that this page',
    `can be passed on. <code>purser conformance ${judged} --only ID --show-tokens …</code> shows it.</p>`,
    '</footer>',
  ].join('\n')
}
