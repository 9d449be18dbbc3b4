/**
 * Every history of one bet up to six steps obeys the rules. The search examines histories that lead
 * to the same state only once, misses nothing by that, and finds planted faults.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { searchHistories } from '../src/one-bet/history-search.ts'
import { formatHistory } from '../src/one-bet/one-bet-actions.ts'
import { PLANTED } from './planted.ts'

/** The page without its links. */
const PAGE = readFileSync(new URL('../../../docs/concepts/every-history.md', import.meta.url), 'utf8').replaceAll(
  /\[([^\]]+)\]\([^)]+\)/g,
  '$1',
)
const LONGEST = 4

test.each(['refuse', 'allow-negative'] as const)(
  'every history of one bet with clawback %s has the results of the decisions',
  (clawback) => {
    const { found, histories } = searchHistories({ length: 6, clawback })
    expect(found).toBe(undefined)
    expect(histories).toBeGreaterThan(4_000_000)
  },
)

test('histories that merge into one are judged as they are one by one', () => {
  let number = 0
  const options = { length: 5, clawback: 'refuse' } as const
  const [merged, plain] = [searchHistories(options), searchHistories({ ...options, fingerprint: () => `${++number}` })]
  expect([merged.found, merged.histories, merged.met]).toEqual([undefined, plain.histories, plain.met])
  expect([plain.steps, plain.situations]).toEqual([plain.histories, number + 1])
  expect(merged.steps).toBeLessThan(plain.steps / 2)
})

describe('the search finds, with the history that every-history.md names:', () => {
  test.each(PLANTED)('$fault', ({ fault, breaks, ...how }) => {
    const { found } = searchHistories({ length: LONGEST + (how.after?.length ?? 0), ...how })
    if (found === undefined) throw new Error('the search has not found it')
    expect(PAGE).toContain(`| ${fault} | ${breaks} | ${formatHistory(found.history)} | ${found.complaint} |`)
  })
})
