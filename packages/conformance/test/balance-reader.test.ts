/**
 * The kit determines a player's balance by test bets at a wallet that does not serve /user/balance.
 */

import { OPERATIONS } from '@purser/protocol/operation'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { describe, expect, test } from 'vitest'
import type { Exchange } from '../src/http-exchange.ts'
import { type BalanceHolder, probeBalanceReader, type SendKitCall } from '../src/wallet/play/balance-reader.ts'

const EUR = { currency: 'EUR', scale: 2 }
const HOLDER: BalanceHolder = {
  player: { userId: 'ann', token: 'token', first: EUR },
  ...{ account: EUR, currency: 'first', isCurrent: true },
}

function exchangeWith(status: number, code?: number): Exchange {
  const request = { method: 'POST', url: `http://127.0.0.1${OPERATIONS.place.path}`, headers: {}, body: '' }
  const body = JSON.stringify(code === undefined ? { transactionId: 'bet' } : { code })
  const answer = { kind: 'some', status, contentType: 'application/json', body } as const
  return { what: 'a call', request, answer, startedAt: new Date(0), durationMs: 1 }
}

/** A wallet with this balance in minor units. It returns no stake if it `keeps` them. */
function walletWith(balance: bigint, { keeps = false, blocked = false } = {}) {
  const wallet = { left: balance, bets: 0 }
  const ask: SendKitCall = async ({ operation }, _holder, amount = 0n) => {
    if (operation === 'rollback') {
      if (keeps) return exchangeWith(500)
      wallet.left += amount
      return exchangeWith(200)
    }
    wallet.bets += 1
    if (blocked) return exchangeWith(400, REPLY_CODES.player_blocked.code)
    if (amount > wallet.left) return exchangeWith(400, REPLY_CODES.not_enough_money.code)
    wallet.left -= amount
    return exchangeWith(200)
  }
  return { wallet, ask }
}

describe('a probed balance', () => {
  test.each([
    [
      'one minor unit too high',
      1001n,
      { isTooHigh: true, problem: 'a bet of 10.01 EUR is accepted; the balance had to be 10.00 EUR' },
    ],
    [
      'one minor unit too low',
      999n,
      { isTooHigh: false, problem: 'a bet of 10.00 EUR is refused; the balance had to be 10.00 EUR' },
    ],
    ['exact', 1000n, 1000n],
  ])('that is %s is judged as such, and the wallet has its money back', async (_what, balance, expected) => {
    const { wallet, ask } = walletWith(balance)
    expect(await probeBalanceReader.match(HOLDER, [1000n], ask)).toEqual(expected)
    expect(wallet.left).toBe(balance)
  })

  test('above nothing is too high, also below zero', async () => {
    expect(await probeBalanceReader.match(HOLDER, [0n], walletWith(1n).ask)).toMatchObject({ isTooHigh: true })
    expect(await probeBalanceReader.match(HOLDER, [-5n], walletWith(1n).ask)).toMatchObject({ isTooHigh: true })
    expect(await probeBalanceReader.match(HOLDER, [0n], walletWith(0n).ask)).toBe(0n)
  })

  test('equals one of several amounts, or none without a direction', async () => {
    expect(await probeBalanceReader.match(HOLDER, [500n, 1000n], walletWith(1000n).ask)).toBe(1000n)
    expect(await probeBalanceReader.match(HOLDER, [500n, 1000n], walletWith(1001n).ask)).not.toHaveProperty('isTooHigh')
  })

  test('is too high when the wallet keeps the stake of a probe', async () => {
    const { ask } = walletWith(2000n, { keeps: true })
    expect(await probeBalanceReader.match(HOLDER, [1000n], ask)).toMatchObject({ isTooHigh: true })
  })

  test('is not judged when bets are refused for another reason than money', async () => {
    expect(await probeBalanceReader.match(HOLDER, [1000n], walletWith(5n, { blocked: true }).ask)).toBe(1000n)
  })

  test.each([1000n, 1001n, 999n, 0n, 1n, 123_456_789_012_345n])('of %d is found', async (balance) => {
    const { wallet, ask } = walletWith(balance)
    expect(await probeBalanceReader.find(HOLDER, 1000n, ask)).toBe(balance)
    expect(wallet.left).toBe(balance)
    expect(wallet.bets).toBeLessThan(120)
  })
})
