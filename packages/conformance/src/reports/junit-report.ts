/**
 * JUnit report, in the dialect that Jenkins, GitLab and GitHub Actions all read.
 *
 * - Each group of cases is a suite.
 * - `failure` has a message and the calls.
 * - `skipped` is a case that was not judged.
 *
 * The failures agree with the exit code. So a failed SHOULD is skipped, with its calls in
 * system-out, unless the run is strict.
 */
import { escapeMarkup } from '@purser/runtime/text/markup-escaping'
import type { Exchange } from '../http-exchange.ts'
import { findRemedy } from '../remedies/remedy.ts'
import {
  type CaseFailure,
  type CaseResult,
  type ConformanceReport,
  countsAsFailure,
  formatRerunOfCase,
  formatSeconds,
  groupResults,
  toCaseGroup,
} from './conformance-report.ts'
import { toPrintableReport } from './printable-report.ts'
import { describeRunVerdict, formatNotJudged } from './run-verdict.ts'

export function formatJunitReport(raw: ConformanceReport): string {
  const report = toPrintableReport(raw)
  const suites = groupResults(report.results).map(([group, results]) => renderSuite(report, group, results))
  const { skipped: _unknownHere, ...counts } = countOutcomes(report, report.results)
  const all = { name: `purser conformance ${report.judged}`, ...counts, time: formatSeconds(report.durationMs) }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${formatAttributes(all)}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

type Counts = Readonly<Record<'tests' | 'failures' | 'errors' | 'skipped', string>>

function countOutcomes(report: ConformanceReport, results: readonly CaseResult[]): Counts {
  const kinds = results.map((result) => toJunitOutcome(report, result))
  const count = (kind: string) => String(kinds.filter((one) => one === kind).length)
  return {
    tests: String(results.length),
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  }
}

function toJunitOutcome(report: ConformanceReport, result: CaseResult): 'passed' | 'failure' | 'error' | 'skipped' {
  if (result.verdict.kind === 'passed') return 'passed'
  if (!countsAsFailure(report, result)) return 'skipped'
  return result.verdict.kind === 'failed' ? 'failure' : 'error'
}

function renderSuite(report: ConformanceReport, group: string, results: readonly CaseResult[]): string {
  const time = formatSeconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0))
  const timestamp = report.startedAt.toISOString().slice(0, 19)
  return [
    `  <testsuite ${formatAttributes({ name: group, ...countOutcomes(report, results), time, timestamp })}>`,
    ...renderProperties(report),
    ...results.map((result) => renderTestCase(report, result)),
    '  </testsuite>',
  ].join('\n')
}

/** Written for each suite, because the dialect has no properties of the whole. */
function renderProperties(report: ConformanceReport): string[] {
  const { kitVersion, interfaceVersion, target } = report
  const notJudged = formatNotJudged(report).join('\n')
  const properties = Object.entries({
    ...{ kitVersion, interfaceVersion, target, verdict: describeRunVerdict(report) },
    ...(notJudged !== '' && { notJudged }),
  })
  const lines = properties.map(([name, value]) => `      <property ${formatAttributes({ name, value })}/>`)
  return ['    <properties>', ...lines, '    </properties>']
}

function renderTestCase(report: ConformanceReport, result: CaseResult): string {
  const { id, sentence, durationMs } = result
  const classname = `purser.conformance.${report.judged}.${toCaseGroup(id)}`
  const start = `    <testcase ${formatAttributes({ classname, name: `${id} ${sentence}`, time: formatSeconds(durationMs) })}`
  const children = renderTestCaseChildren(report, result)
  return children.length === 0 ? `${start}/>` : [`${start}>`, ...children, '    </testcase>'].join('\n')
}

function renderTestCaseChildren(report: ConformanceReport, result: CaseResult): string[] {
  const { verdict } = result
  switch (verdict.kind) {
    case 'passed':
      return []
    case 'not judged': {
      const message = formatAttributes({ message: `skipped: ${verdict.why}` })
      return [countsAsFailure(report, result) ? `      <error ${message}/>` : `      <skipped ${message}/>`]
    }
    case 'failed':
      return renderFailureElement(report, result, verdict)
    default:
      return verdict satisfies never
  }
}

function renderFailureElement(report: ConformanceReport, result: CaseResult, failure: CaseFailure): string[] {
  const { level, loses, expected } = result
  const details = escapeMarkup(describeFailure(report, result, failure))
  const message = `${loses} (${failure.why})`
  if (countsAsFailure(report, result))
    return [`      <failure ${formatAttributes({ message, type: level })}>${details}</failure>`]
  const why = expected === undefined ? 'fails, and is a SHOULD' : `fails as expected: ${expected}`
  const note = formatAttributes({ message: `${why}: ${message}` })
  return [`      <skipped ${note}/>`, `      <system-out>${details}</system-out>`]
}

/** Only the other reports contain the kit's own balance queries. */
function isCaseCall({ isLook }: Exchange): boolean {
  return isLook !== true
}

/** The last exchanges of a failed case. */
const MAX_EXCHANGES = 12

function describeFailure(
  report: ConformanceReport,
  result: CaseResult,
  { why, exchanges, repeat }: CaseFailure,
): string {
  const { clause, level, loses } = result
  const lines = exchanges
    .filter(isCaseCall)
    .slice(-MAX_EXCHANGES)
    .flatMap(({ what, request, answer }) => {
      const received = answer.kind === 'none' ? answer.why : `${answer.status} ${answer.body}`
      return [what, `  > ${request.method} ${request.url} ${request.body}`, `  < ${received}`]
    })
  const rerun = formatRerunOfCase(report, result)
  const ends = [rerun && `again: ${rerun}`, repeat && `the last call: ${repeat}`].filter((line) => line !== '')
  const change = findRemedy(result.id)?.change
  const toChange = change === undefined ? [] : [`to change: ${change}`]
  return [...toChange, `${level}: ${clause}`, loses, why, '', ...lines, '', ...ends].join('\n')
}

function formatAttributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeMarkup(value)}"`)
    .join(' ')
}
