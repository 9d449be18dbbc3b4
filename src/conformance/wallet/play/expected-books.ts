/**
 * What the balances must be: the start, plus what the bets have paid, less what they have taken. An accepted answer
 * changes one bet; everything else follows. So a step may go on from whichever allowed answer came before it.
 *
 * Values, not objects with a life: a parallel step compares several possible books with one balance.
 */
import type { BetEffect } from '../case/wallet-case.ts'

/** Minor units. */
export interface BetMoney {
  /** Whose balance it moves: a key of `balances`. */
  readonly purse: string
  readonly stake: bigint
  readonly paid: bigint
  /** Of the applied settlement. */
  readonly resultType?: string | undefined
}

export interface ExpectedBooks {
  readonly balances: ReadonlyMap<string, bigint>
  readonly bets: ReadonlyMap<string, BetMoney>
}

export interface BookChange {
  readonly effect: BetEffect
  readonly bet: string
  readonly purse: string
  /** Minor units; undefined where nothing moves by it. */
  readonly amount: bigint | undefined
  readonly resultType?: string | undefined
}

/** A purse is looked at from its first movement on. */
export function applyBookChange(books: ExpectedBooks, change: BookChange): ExpectedBooks {
  if (change.effect === 'nothing') return books
  const before = books.bets.get(change.bet) ?? { purse: change.purse, stake: 0n, paid: 0n }
  const after = moveBet(before, change)
  const balance = (books.balances.get(before.purse) ?? 0n) + netEffect(after) - netEffect(before)
  return {
    balances: new Map(books.balances).set(before.purse, balance),
    bets: new Map(books.bets).set(change.bet, after),
  }
}

/** What a bet has done to its player's balance. */
export function netEffect({ paid, stake }: BetMoney): bigint {
  return paid - stake
}

function moveBet(bet: BetMoney, { effect, amount, resultType }: BookChange): BetMoney {
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

/** A stake was debited and not given back. */
export function hasPlacedStake({ bets }: ExpectedBooks, bet: string): boolean {
  return (bets.get(bet)?.stake ?? 0n) > 0n
}

export function hasSettlement({ bets }: ExpectedBooks, bet: string): boolean {
  return bets.get(bet)?.resultType !== undefined
}

/** True when a settlement is applied and this one says something else. */
export function changesSettlement(
  { bets }: ExpectedBooks,
  bet: string,
  amount: bigint | undefined,
  type?: string,
): boolean {
  const applied = bets.get(bet)
  return applied?.resultType !== undefined && (applied.paid !== amount || applied.resultType !== type)
}
