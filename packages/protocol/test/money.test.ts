/**
 * Amounts and balances have limits and are written as text, exactly to the last minor unit (M-1).
 */
import { expect, test } from 'vitest'
import {
  fitsBalance,
  formatMoney,
  isAboveLimit,
  MAX_AMOUNT,
  MAX_BALANCE,
  money,
  parseDecimal,
  parseNearest,
  parseWireAmount,
} from '../src/values/money.ts'

test('the largest amount is accepted, and one minor unit more is rejected', () => {
  expect(parseDecimal(`${MAX_AMOUNT}`, 0)).toBe(MAX_AMOUNT)
  expect(parseDecimal(`${MAX_AMOUNT + 1n}`, 0)).toBeUndefined()
})

test('a balance fits up to its limit, and down to the negative limit', () => {
  const bounds = [MAX_BALANCE, -MAX_BALANCE, MAX_BALANCE + 1n, -MAX_BALANCE - 1n]
  expect(bounds.map(fitsBalance)).toEqual([true, true, false, false])
})

test('an amount below one has a leading zero, and a negative amount has a sign', () => {
  expect(formatMoney(money(5n), 2)).toBe('0.05')
  expect(formatMoney(money(-5n), 2)).toBe('-0.05')
  expect(formatMoney(money(0n), 3)).toBe('0.000')
})

test('minus zero is rejected as an amount of the wire, and zero is accepted', () => {
  expect([parseWireAmount(0, 2), parseWireAmount(-0, 2)]).toEqual([0n, undefined])
})

test.each<[bigint, number, string, boolean]>([
  [1000n, 2, '10', false],
  [1001n, 2, '10', true],
  [1000n, 2, '9.999', true],
  [1000n, 2, '10.001', false],
  [1n, 0, '0.5', true],
  [0n, 0, '0.5', false],
  [-1n, 2, '0', false],
  [5n, 0, '5.0', false],
])('%d minor units with %d decimals exceed a limit of %s: %s', (amount, scale, limit, above) => {
  expect(isAboveLimit(amount, scale, limit)).toBe(above)
})

test('a balance with more decimals than its currency is rounded to the nearest unit', () => {
  const written = ['2499.7000000000003', '0.005', '0.0049', '12', '1e-9', '-1', 'x']
  expect(written.map((text) => parseNearest(text, 2))).toEqual([249_970n, 1n, 0n, 1_200n, 0n, undefined, undefined])
})
