/** Verdict on a run in words, for the terminal, the page and JUnit. */
import {
  type CaseResult,
  type ConformanceReport,
  countVerdicts,
  isCertified,
  isGood,
  needsOperatorApi,
} from './conformance-report.ts'

/** Without a full stop: 'fails 3 MUST', 'certified: …', 'not certified: 12 MUST were skipped'. */
export function describeRunVerdict(report: ConformanceReport): string {
  const end = report.wasInterrupted ? ' so far' : ''
  const { failedMust, failedShould, notJudgedMust } = countVerdicts(report)
  if (report.results.every(({ verdict }) => verdict.kind === 'not judged')) return 'nothing was judged'
  if (isCertified(report)) return describeCertification(report)
  const failed = [...formatCount(failedMust, 'MUST'), ...(report.isStrict ? formatCount(failedShould, 'SHOULD') : [])]
  if (failed.length > 0) return `fails ${failed.join(' and ')}${end}`
  if (!isGood(report) && notJudgedMust === 0) return `could not judge all that was asked for${end}`
  return `not certified: ${listMissingReasons(report).join(', ')}${end}`
}

function describeCertification({ results }: ConformanceReport): string {
  const operators = results.filter((one) => one.level === 'MUST' && needsOperatorApi(one)).length
  return operators === 0
    ? 'certified: every MUST was judged and passed'
    : `certified over the wire: every MUST that needs no operator was judged and passed, ${operators} MUST need one`
}

function formatCount(count: number, level: string): string[] {
  return count === 0 ? [] : [`${count} ${level}`]
}

function listMissingReasons(report: ConformanceReport): string[] {
  const { notJudgedMust } = countVerdicts(report)
  const expected = report.results.filter(
    ({ level, verdict, expected: reason }) => level === 'MUST' && verdict.kind === 'failed' && reason !== undefined,
  )
  return [
    ...(notJudgedMust === 0 ? [] : [`${notJudgedMust} MUST ${notJudgedMust === 1 ? 'was' : 'were'} skipped`]),
    ...(expected.length === 0 ? [] : [`${expected.length} MUST failed as expected`]),
    ...(report.isPart === true ? [`${report.results.length} cases were asked for, not all`] : []),
    ...(report.wasInterrupted ? ['the run was interrupted'] : []),
  ]
}

/** Missing inputs and their cases. A case appears once. */
export interface MissingInput {
  readonly add: readonly string[]
  readonly cases: readonly CaseResult[]
}

/** The input that the most MUST cases need is first. */
export function groupMissingInputs({ results }: ConformanceReport): readonly MissingInput[] {
  const byInput = new Map<string, MissingInput>()
  for (const result of results) {
    const { verdict } = result
    if (verdict.kind !== 'not judged' || verdict.add === undefined) continue
    const key = JSON.stringify(verdict.add)
    byInput.set(key, { add: verdict.add, cases: [...(byInput.get(key)?.cases ?? []), result] })
  }
  return [...byInput.values()].sort((a, b) => countMust(b) - countMust(a) || b.cases.length - a.cases.length)
}

function countMust({ cases }: MissingInput): number {
  return cases.filter(({ level }) => level === 'MUST').length
}

/** '12 MUST, 9 SHOULD' */
function formatLevels(all: number, must: number): string {
  return [...formatCount(must, 'MUST'), ...formatCount(all - must, 'SHOULD')].join(', ')
}

/** 'skipped: 12 MUST, 9 SHOULD', then one line for each input. Empty if all cases were judged. */
export function formatNotJudged(report: ConformanceReport): readonly string[] {
  const { notJudged, notJudgedMust } = countVerdicts(report)
  if (notJudged === 0) return []
  const inputs = groupMissingInputs(report).map((input) => {
    const names = input.add.map((name) => `\`${name}\``).join(' and ')
    return `  add ${names} to judge ${input.cases.length} more (${formatLevels(input.cases.length, countMust(input))})`
  })
  return [`skipped: ${formatLevels(notJudged, notJudgedMust)}${inputs.length === 0 ? '' : ':'}`, ...inputs]
}
