// The exact limits of a result: its age (L-3), the money to take back (L-2), and the range of a
// balance.

import { MAX_BALANCE, type Money } from '@purser/protocol/values/money'
import type { Currency } from '@purser/protocol/wire-ids'
import { expect, test } from 'vitest'
import { type BetPosting, type Facts, findMoneyRefusal, isResultLocked } from '../../src/wallet/rules/decision.ts'

const EUR = 'EUR' as Currency
const DAY_MS = 86_400_000
const NOW = new Date('2031-05-16T10:00:00.000Z')

function factsWith(balance: bigint, rules: object = { clawback: 'refuse' }): Facts {
  return { account: () => ({ balance }), locked: false, now: NOW, rules } as unknown as Facts
}

function paid(amount: bigint): BetPosting {
  return { kind: 'payout', debit: 'house', credit: 'player', amount: amount as Money }
}

function takenBack(amount: bigint): BetPosting {
  return { kind: 'payout_reversal', debit: 'player', credit: 'house', amount: amount as Money }
}

test('a result may change until the last millisecond of the resettle window, and no later (L-3)', () => {
  const facts = factsWith(0n, { resettleWindowMs: 2 * DAY_MS })
  expect(isResultLocked(new Date(NOW.getTime() - 2 * DAY_MS), facts)).toBe(false)
  expect(isResultLocked(new Date(NOW.getTime() - 2 * DAY_MS - 1), facts)).toBe(true)
})

test('an unsettle can take back the whole balance, and not one cent more (L-2)', () => {
  expect(findMoneyRefusal([takenBack(100n)], EUR, factsWith(100n))).toBeUndefined()
  expect(findMoneyRefusal([takenBack(101n)], EUR, factsWith(100n))).toMatchObject({ code: 'recalculation_negative' })
  expect(findMoneyRefusal([takenBack(101n)], EUR, factsWith(100n, { clawback: 'allow-negative' }))).toBeUndefined()
})

test('a negative balance never causes a payout to be rejected (L-2)', () => {
  expect(findMoneyRefusal([paid(50n)], EUR, factsWith(-100n))).toBeUndefined()
  expect(findMoneyRefusal([takenBack(30n), paid(50n)], EUR, factsWith(-100n))).toBeUndefined()
})

test('a payout is rejected when the balance would become too large to store', () => {
  expect(findMoneyRefusal([paid(1n)], EUR, factsWith(MAX_BALANCE - 1n))).toBeUndefined()
  expect(findMoneyRefusal([paid(1n)], EUR, factsWith(MAX_BALANCE))).toMatchObject({ code: 'invalid_request' })
})
