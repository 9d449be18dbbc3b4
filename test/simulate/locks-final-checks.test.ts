/** What the level with real locks says of balances at the end of a run: right, wrong, or that it cannot tell, which is counted. */
import { expect, test } from 'vitest'
import { BALANCE_JUDGED, checkBalances } from '../../src/simulate/locks/final-checks.ts'

function judged(balance: bigint | undefined, moved: ReadonlySet<bigint> | undefined) {
  const marks: string[] = []
  const has = new Map(balance === undefined ? [] : [['ada', balance]])
  const players = [{ userId: 'ada', cash: 100n }]
  const complaints = checkBalances(players, has, { movedOf: () => moved }, (name) => void marks.push(name))
  return { complaints: complaints.length, marks }
}

test('one that is possible is judged, one that is not is a complaint', () => {
  expect(judged(90n, new Set([-10n, 5n]))).toEqual({ complaints: 0, marks: [BALANCE_JUDGED] })
  expect(judged(91n, new Set([-10n, 5n]))).toEqual({ complaints: 1, marks: [] })
  expect(judged(undefined, new Set([0n]))).toEqual({ complaints: 1, marks: [] })
})

test('where no balance is possible, any is wrong', () => {
  expect(judged(100n, new Set())).toEqual({ complaints: 1, marks: [] })
})

test('where the auditor cannot tell, that is counted', () => {
  expect(judged(1n, undefined)).toEqual({ complaints: 0, marks: [expect.stringContaining('says nothing')] })
})
