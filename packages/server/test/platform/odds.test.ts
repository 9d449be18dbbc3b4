/** Odds must be more than 0 and at most 1,000,000, with at most six decimals. */
import { expect, test } from 'vitest'
import { multiplyOdds, type Odds, parseOdds } from '../../src/platform/store/odds.ts'

test.each([
  ['0.000001', 1n],
  ['1', 1_000_000n],
  ['1000000', 1_000_000_000_000n],
])('odds of %s are read as %s millionths', (written, odds) => {
  expect(parseOdds(written)).toBe(odds)
})

test.each(['0', '-1', '0.0000001', '1000000.000001', 'evens'])('odds of %s are refused', (written) => {
  expect(parseOdds(written)).toBeUndefined()
})

test('an express has no odds when its product is cut to 0 or is more than 1,000,000', () => {
  const odds = (written: string) => parseOdds(written) as Odds
  expect(multiplyOdds([odds('0.001'), odds('0.001')])).toBe(1n)
  expect(multiplyOdds([odds('0.001'), odds('0.0009')])).toBeUndefined()
  expect(multiplyOdds([odds('1000'), odds('1000')])).toBe(odds('1000000'))
  expect(multiplyOdds([odds('1000'), odds('1000.000001')])).toBeUndefined()
})
