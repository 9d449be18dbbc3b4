/** Sums of decimal texts of any scale are exact (M-1). */
import { expect, test } from 'vitest'
import { negateDecimal, sumDecimals, toCommonUnits } from '../src/values/decimal.ts'

test('the sum of decimal amounts is exact', () => {
  expect(sumDecimals(['0.1', '0.2'])).toBe('0.3')
  expect(sumDecimals(['-10.00', '27.70', '-27.70'])).toBe('-10.00')
  expect(sumDecimals(['0.00000001', '90071992547409.93'])).toBe('90071992547409.93000001')
  expect(sumDecimals(['500', '-80'])).toBe('420')
  expect(sumDecimals([])).toBe('0')
})

test('amounts are compared at the finer of their scales', () => {
  expect(toCommonUnits(['2.5', '2.51', '-0.01', '3'])).toEqual([250n, 251n, -1n, 300n])
  expect(['2.50', '-2.50'].map(negateDecimal)).toEqual(['-2.50', '2.50'])
})
