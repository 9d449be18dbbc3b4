/**
 * The final check of a run finds each balance right, wrong or undecided, and counts the undecided
 * balances.
 */
import { expect, test } from 'vitest'
import { BALANCE_JUDGED, checkBalances } from '../src/postgres/final-checks.ts'

function judged(balance: bigint | undefined, moved: ReadonlySet<bigint> | undefined) {
  const marks: string[] = []
  const has = new Map(balance === undefined ? [] : [['ada', balance]])
  const players = [{ userId: 'ada', cash: 100n }]
  const complaints = checkBalances(players, has, { movedOf: () => moved }, (name) => void marks.push(name))
  return { complaints: complaints.length, marks }
}

test('the final check accepts a possible balance and reports an impossible one', () => {
  expect(judged(90n, new Set([-10n, 5n]))).toEqual({ complaints: 0, marks: [BALANCE_JUDGED] })
  expect(judged(91n, new Set([-10n, 5n]))).toEqual({ complaints: 1, marks: [] })
  expect(judged(undefined, new Set([0n]))).toEqual({ complaints: 1, marks: [] })
})

test('the final check reports any balance when none is possible', () => {
  expect(judged(100n, new Set())).toEqual({ complaints: 1, marks: [] })
})

test('the final check counts the balances that the auditor cannot determine', () => {
  expect(judged(1n, undefined)).toEqual({ complaints: 0, marks: [expect.stringContaining('says nothing')] })
})
