/**
 * List of known failures (`--expected-failures FILE`): each line has a case id and a reason.
 *
 * A known failure does not fail the run. A listed case that passes is reported, so that the list
 * can be updated.
 */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { CaseResult } from './reports/conformance-report.ts'

/** The reason by case id. */
export type ExpectedFailures = ReadonlyMap<string, string>

const LINE = /^(?<id>\S+)\s+(?<reason>\S.*)$/

/** Throws UsageError. Empty lines and lines that begin with # are ignored. */
export function parseExpectedFailures(text: string, ids: readonly string[]): ExpectedFailures {
  const expected = new Map<string, string>()
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const { id, reason } = LINE.exec(line)?.groups ?? {}
    if (id === undefined || reason === undefined)
      throw new UsageError(`--expected-failures: "${line}" gives no reason: write "ID reason"`)
    if (!ids.includes(id)) throw new UsageError(`--expected-failures: no such case: ${id}; --list shows all cases`)
    if (expected.has(id)) throw new UsageError(`--expected-failures: ${id} is listed twice`)
    expected.set(id, reason)
  }
  return expected
}

export function markExpectedFailures(
  results: readonly CaseResult[],
  expected: ExpectedFailures,
): readonly CaseResult[] {
  return results.map((result) => {
    const reason = expected.get(result.id)
    return reason === undefined ? result : { ...result, expected: reason }
  })
}
