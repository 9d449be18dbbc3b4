/**
 * Expected balances of a case (books): start balances, plus payouts, less stakes.
 *
 * An accepted answer changes one bet, and the balances follow from the bets. So the case can
 * continue after any allowed answer. The books are immutable, because concurrent calls lead to
 * several possible books.
 */
import type { BetEffect } from '../case/wallet-case.ts'

/** Minor units. */
export interface BetMoney {
  readonly balanceKey: string
  readonly stake: bigint
  readonly paid: bigint
  readonly resultType?: string | undefined
}

export interface ExpectedBooks {
  readonly balances: ReadonlyMap<string, bigint>
  readonly bets: ReadonlyMap<string, BetMoney>
}

export interface BookChange {
  readonly effect: BetEffect
  readonly bet: string
  readonly balanceKey: string
  /** Minor units. Undefined if the change moves no money. */
  readonly amount: bigint | undefined
  readonly resultType?: string | undefined
}

export function applyBookChange(books: ExpectedBooks, change: BookChange): ExpectedBooks {
  if (change.effect === 'nothing') return books
  const before = books.bets.get(change.bet) ?? { balanceKey: change.balanceKey, stake: 0n, paid: 0n }
  const after = moveBet(before, change)
  const balance = (books.balances.get(before.balanceKey) ?? 0n) + netEffect(after) - netEffect(before)
  return {
    balances: new Map(books.balances).set(before.balanceKey, balance),
    bets: new Map(books.bets).set(change.bet, after),
  }
}

export function netEffect({ paid, stake }: BetMoney): bigint {
  return paid - stake
}

export function moveBet(
  bet: BetMoney,
  { effect, amount, resultType }: Pick<BookChange, 'effect' | 'amount' | 'resultType'>,
): BetMoney {
  switch (effect) {
    case 'nothing':
      return bet
    case 'debit':
      return { ...bet, stake: requireAmount(amount) }
    case 'pay':
      return { ...bet, paid: requireAmount(amount), resultType }
    case 'unpay':
      return { ...bet, paid: 0n, resultType: undefined }
    case 'cancel':
      return { ...bet, stake: 0n, paid: 0n, resultType: undefined }
    default:
      return effect satisfies never
  }
}

function requireAmount(amount: bigint | undefined): bigint {
  if (amount === undefined) throw new Error('a case lets an amount move that is none in its currency')
  return amount
}

export function hasPlacedStake({ bets }: ExpectedBooks, bet: string): boolean {
  return (bets.get(bet)?.stake ?? 0n) > 0n
}

export function hasSettlement({ bets }: ExpectedBooks, bet: string): boolean {
  return bets.get(bet)?.resultType !== undefined
}

/** True if another settlement is already applied. */
export function changesSettlement(
  { bets }: ExpectedBooks,
  bet: string,
  amount: bigint | undefined,
  type?: string,
): boolean {
  const applied = bets.get(bet)
  return applied?.resultType !== undefined && (applied.paid !== amount || applied.resultType !== type)
}
