// The exact bounds of a result: how old it may be (L-3), what may be taken back (L-2), what a balance holds.
import { expect, test } from 'vitest'
import { MAX_BALANCE, type Money } from '../../src/protocol/money.ts'
import type { Currency } from '../../src/protocol/wire-ids.ts'
import { type BetPosting, type Facts, findMoneyRefusal, isResultLocked } from '../../src/wallet/decide/decision.ts'

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

test('a result may be changed until the window is over, in its last millisecond too, and not one later (L-3)', () => {
  const facts = factsWith(0n, { resettleWindowMs: 2 * DAY_MS })
  expect(isResultLocked(new Date(NOW.getTime() - 2 * DAY_MS), facts)).toBe(false)
  expect(isResultLocked(new Date(NOW.getTime() - 2 * DAY_MS - 1), facts)).toBe(true)
})

test('money that the player has can be taken back to the last cent, and not one cent more (L-2)', () => {
  expect(findMoneyRefusal([takenBack(100n)], EUR, factsWith(100n))).toBeUndefined()
  expect(findMoneyRefusal([takenBack(101n)], EUR, factsWith(100n))).toMatchObject({ code: 'recalculation_negative' })
  expect(findMoneyRefusal([takenBack(101n)], EUR, factsWith(100n, { clawback: 'allow-negative' }))).toBeUndefined()
})

test('a balance below zero is no reason to refuse money that is paid (L-2)', () => {
  expect(findMoneyRefusal([paid(50n)], EUR, factsWith(-100n))).toBeUndefined()
  expect(findMoneyRefusal([takenBack(30n), paid(50n)], EUR, factsWith(-100n))).toBeUndefined()
})

test('nothing is paid that would make the balance too large to be stored', () => {
  expect(findMoneyRefusal([paid(1n)], EUR, factsWith(MAX_BALANCE - 1n))).toBeUndefined()
  expect(findMoneyRefusal([paid(1n)], EUR, factsWith(MAX_BALANCE))).toMatchObject({ code: 'invalid_request' })
})
