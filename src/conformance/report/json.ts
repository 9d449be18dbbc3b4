/** The report for programs. Its shape is described in docs/reference/conformance-report.md; a change of it has a new version. */
import { isGood, type Report, totalsOf } from './report.ts'

export const JSON_VERSION = 1

export function jsonReport(report: Report): string {
  const { results, ...run } = report
  const content = {
    ...{ version: JSON_VERSION, ...run, durationMs: Math.trunc(run.durationMs) },
    ...{ isGood: isGood(report), totals: totalsOf(report), results },
  }
  return `${JSON.stringify(content, wholeMilliseconds, 2)}\n`
}

function wholeMilliseconds(name: string, value: unknown): unknown {
  return name === 'durationMs' && typeof value === 'number' ? Math.trunc(value) : value
}
