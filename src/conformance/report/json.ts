/** The report for programs. Its shape is described in docs/reference/conformance-report.md; a change of it has a new version. */
import { remedyFor } from '../remedies/remedy.ts'
import { isCertified, isGood, type Report, totalsOf } from './report.ts'

export const JSON_VERSION = 1

export function jsonReport(report: Report): string {
  const { isComplete = false, isPart = false, ...run } = report
  const results = report.results.map((result) => ({ ...result, change: remedyFor(result.id)?.change }))
  const content = {
    ...{ version: JSON_VERSION, ...run, durationMs: Math.trunc(run.durationMs) },
    ...{ isComplete, isPart, isGood: isGood(report), isCertified: isCertified(report) },
    ...{ totals: totalsOf(report), results },
  }
  return `${JSON.stringify(content, wholeMilliseconds, 2)}\n`
}

function wholeMilliseconds(name: string, value: unknown): unknown {
  return name === 'durationMs' && typeof value === 'number' ? Math.trunc(value) : value
}
