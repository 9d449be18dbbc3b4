/**
 * PURSER_CURRENCIES accepts one scale (number of decimals) per currency, and a currency in use
 * keeps its scale (M-5).
 */
import { expect, test } from 'vitest'
import { parseCurrencyScales } from '../../src/core/config/currency-settings.ts'

test('PURSER_CURRENCIES refuses a second scale of a currency', () => {
  const problems: string[] = []
  expect(parseCurrencyScales('USDT:6, BTC:8', problems).get('USDT')).toBe(6)
  expect(problems).toEqual([])
  parseCurrencyScales('USDT:6,USDT:8', problems)
  expect(problems).toEqual(['PURSER_CURRENCIES: "USDT:8" gives a second scale for the same currency'])
})

test('PURSER_CURRENCIES refuses a code in lower case and says that codes are in upper case', () => {
  const problems: string[] = []
  parseCurrencyScales('mBTC:5', problems)
  parseCurrencyScales('MBTC:13', problems)
  expect(problems).toEqual([
    'PURSER_CURRENCIES: "mBTC:5" is not CODE:decimals with a code in upper case and 0 to 12 decimals',
    'PURSER_CURRENCIES: "MBTC:13" is not CODE:decimals with 0 to 12 decimals',
  ])
})

test.each(['XAD', 'ANG', 'BGN'])('the currency %s is known without a setting and has two decimals', (code) => {
  expect(parseCurrencyScales('', []).get(code)).toBe(2)
})
