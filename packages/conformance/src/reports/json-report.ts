/**
 * JSON report, described in docs/reference/conformance-report.md. A change of its structure needs a
 * new version number.
 */
import { findRemedy } from '../remedies/remedy.ts'
import { type ConformanceReport, countVerdicts, isCertified, isGood } from './conformance-report.ts'

export const REPORT_JSON_VERSION = 1

export function formatConformanceJson(report: ConformanceReport): string {
  const { isComplete = false, isPart = false, ...run } = report
  const results = report.results.map((result) => ({ ...result, change: findRemedy(result.id)?.change }))
  const content = {
    ...{ version: REPORT_JSON_VERSION, ...run, durationMs: Math.trunc(run.durationMs) },
    ...{ isComplete, isPart, isGood: isGood(report), isCertified: isCertified(report) },
    ...{ totals: countVerdicts(report), results },
  }
  return `${JSON.stringify(content, truncateMilliseconds, 2)}\n`
}

function truncateMilliseconds(name: string, value: unknown): unknown {
  return name === 'durationMs' && typeof value === 'number' ? Math.trunc(value) : value
}
