/**
 * The report for CI: JUnit's XML in the dialect that Jenkins, GitLab and the actions of GitHub read alike: a suite for each
 * group of cases, `failure` with a message and the story, `skipped` for what was not judged. What fails here agrees with the
 * exit code: a failed SHOULD is skipped, with its story in system-out, unless the run is strict.
 */
import { escaped } from '../../runtime/markup.ts'
import type { Exchange } from '../exchange.ts'
import { remedyFor } from '../remedies/remedy.ts'
import { printableReport } from './printable-report.ts'
import { againText, byGroup, type CaseResult, type Failure, groupOf, isCounted, type Report } from './report.ts'
import { seconds } from './seconds.ts'
import { notJudgedLines, verdictOf } from './verdict.ts'

export function junitReport(raw: Report): string {
  const report = printableReport(raw)
  const suites = byGroup(report.results).map(([group, results]) => suite(report, group, results))
  const { skipped: _unknownHere, ...counts } = countsOf(report, report.results)
  const all = { name: `purser conformance ${report.judged}`, ...counts, time: seconds(report.durationMs) }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes(all)}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

type Counts = Readonly<Record<'tests' | 'failures' | 'errors' | 'skipped', string>>

function countsOf(report: Report, results: readonly CaseResult[]): Counts {
  const kinds = results.map((result) => outcomeOf(report, result))
  const count = (kind: string) => String(kinds.filter((one) => one === kind).length)
  return {
    tests: String(results.length),
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  }
}

function outcomeOf(report: Report, result: CaseResult): 'passed' | 'failure' | 'error' | 'skipped' {
  if (result.verdict.kind === 'passed') return 'passed'
  if (!isCounted(report, result)) return 'skipped'
  return result.verdict.kind === 'failed' ? 'failure' : 'error'
}

function suite(report: Report, group: string, results: readonly CaseResult[]): string {
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0))
  const timestamp = report.startedAt.toISOString().slice(0, 19)
  return [
    `  <testsuite ${attributes({ name: group, ...countsOf(report, results), time, timestamp })}>`,
    ...propertiesOf(report),
    ...results.map((result) => testCase(report, result)),
    '  </testsuite>',
  ].join('\n')
}

/** Of a suite, as the dialect has none of the whole. */
function propertiesOf(report: Report): string[] {
  const { kitVersion, interfaceVersion, target } = report
  const notJudged = notJudgedLines(report).join('\n')
  const properties = Object.entries({
    ...{ kitVersion, interfaceVersion, target, verdict: verdictOf(report) },
    ...(notJudged !== '' && { notJudged }),
  })
  const lines = properties.map(([name, value]) => `      <property ${attributes({ name, value })}/>`)
  return ['    <properties>', ...lines, '    </properties>']
}

function testCase(report: Report, result: CaseResult): string {
  const { id, sentence, durationMs } = result
  const classname = `purser.conformance.${report.judged}.${groupOf(id)}`
  const start = `    <testcase ${attributes({ classname, name: `${id} ${sentence}`, time: seconds(durationMs) })}`
  const children = childrenOf(report, result)
  return children.length === 0 ? `${start}/>` : [`${start}>`, ...children, '    </testcase>'].join('\n')
}

function childrenOf(report: Report, result: CaseResult): string[] {
  const { verdict } = result
  switch (verdict.kind) {
    case 'passed':
      return []
    case 'not judged': {
      const message = attributes({ message: `not judged: ${verdict.why}` })
      return [isCounted(report, result) ? `      <error ${message}/>` : `      <skipped ${message}/>`]
    }
    case 'failed':
      return failureOf(report, result, verdict)
    default:
      return verdict satisfies never
  }
}

function failureOf(report: Report, result: CaseResult, failure: Failure): string[] {
  const { level, loses, expected } = result
  const story = escaped(storyOf(report, result, failure))
  const message = `${loses} (${failure.why})`
  if (isCounted(report, result)) return [`      <failure ${attributes({ message, type: level })}>${story}</failure>`]
  const why = expected === undefined ? 'fails, and is a SHOULD' : `fails as expected: ${expected}`
  const note = attributes({ message: `${why}: ${message}` })
  return [`      <skipped ${note}/>`, `      <system-out>${story}</system-out>`]
}

/** The kit's own looks at balances are in the other reports. */
function isOfCase({ isLook }: Exchange): boolean {
  return isLook !== true
}

/** Exchanges in a story: the last ones. */
const MAX_EXCHANGES = 12

function storyOf(report: Report, result: CaseResult, { why, exchanges, repeat }: Failure): string {
  const { clause, level, loses } = result
  const lines = exchanges
    .filter(isOfCase)
    .slice(-MAX_EXCHANGES)
    .flatMap(({ what, request, answer }) => {
      const came = answer.kind === 'none' ? answer.why : `${answer.status} ${answer.body}`
      return [what, `  > ${request.method} ${request.url} ${request.body}`, `  < ${came}`]
    })
  const again = againText(report, result)
  const ends = [again && `again: ${again}`, repeat && `the last call: ${repeat}`].filter((line) => line !== '')
  const change = remedyFor(result.id)?.change
  const toChange = change === undefined ? [] : [`to change: ${change}`]
  return [...toChange, `${level}: ${clause}`, loses, why, '', ...lines, '', ...ends].join('\n')
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(' ')
}
