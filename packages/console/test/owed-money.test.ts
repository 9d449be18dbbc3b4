/**
 * The console's texts about owed money keep the two directions apart: owed to players, and owed by
 * players.
 */
import { expect, test } from 'vitest'
import { owedMoney, owedText } from '../src/shared/data/owed-money.ts'

const of = (currency: string, outstandingAmount: string) => ({ currency, outstandingAmount })

test('money that is owed to players is not added to money that they owe', () => {
  const money = owedMoney([of('EUR', '7.60'), of('EUR', '-2.10'), of('EUR', '1.00')])
  expect(owedText(money)).toBe('8.60 EUR to be paid to players, 2.10 EUR to be taken back from players')
})

test('a currency without owed money is left out, unless there is no other', () => {
  expect(owedText(owedMoney([of('BTC', '0.00000000'), of('EUR', '7.60')]))).toBe('7.60 EUR to be paid to players')
  expect(owedText(owedMoney([of('EUR', '0.00')]))).toBe('0.00 EUR to be paid to players')
})
