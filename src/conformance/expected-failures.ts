/**
 * The failures that are known (--expected-failures FILE): a line each, the id of a case and why. They are shown and do not
 * fail the run; one that passes is said, so that the list does not grow old.
 */

import { UsageError } from '../runtime/errors/cli-errors.ts'
import type { CaseResult } from './reports/conformance-report.ts'

/** The reason by id. */
export type ExpectedFailures = ReadonlyMap<string, string>

const LINE = /^(?<id>\S+)\s+(?<reason>\S.*)$/

/** Throws UsageError. Empty lines and those that begin with # are notes. */
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
