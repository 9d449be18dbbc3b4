/** Decimal texts of any scale (M-1). */
import { expect, test } from 'vitest'
import { negated, sumOf, unitsOf } from '../../src/protocol/decimal.ts'

test('sums of amounts are exact', () => {
  expect(sumOf(['0.1', '0.2'])).toBe('0.3')
  expect(sumOf(['-10.00', '27.70', '-27.70'])).toBe('-10.00')
  expect(sumOf(['0.00000001', '90071992547409.93'])).toBe('90071992547409.93000001')
  expect(sumOf(['500', '-80'])).toBe('420')
  expect(sumOf([])).toBe('0')
})

test('amounts are compared in the finest scale that one of them has', () => {
  expect(unitsOf(['2.5', '2.51', '-0.01', '3'])).toEqual([250n, 251n, -1n, 300n])
  expect(['2.50', '-2.50'].map(negated)).toEqual(['-2.50', '2.50'])
})
