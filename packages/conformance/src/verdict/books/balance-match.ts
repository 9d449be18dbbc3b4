/**
 * Compares a balance that was read with the books, and keeps only the states of the bets that fit
 * it.
 */
import { expandPending, getNetEffect, type LiveBet, type Possibility } from './bet-history.ts'
import { findEffectRange, type PlayerBook, rebase, setPossibilities } from './player-book.ts'

/**
 * - matched: the balance fits the books.
 * - unknown: nothing was known to compare it with, or too many balances are possible.
 * - different: the balance fits no state of the bets.
 */
export type BalanceMatch =
  | { readonly kind: 'matched' | 'unknown' }
  | { readonly kind: 'different'; readonly expected: readonly bigint[] }

/** Sums of effects that are distinguished. */
const MAX_SUMS = 2_000

interface UncertainBet {
  readonly bet: LiveBet
  readonly options: readonly { readonly one: Possibility; readonly effect: bigint }[]
}

export function matchBalance(book: PlayerBook, units: bigint): BalanceMatch {
  const { low, high } = book.base
  const uncertain = [...book.uncertain].map((bet) => toUncertain(book, bet))
  const sums = sumEffects(book.knownEffects, uncertain)
  if (sums === undefined || low === undefined || high === undefined) {
    if (sums !== undefined) limitByRead(book, units)
    else rebase(book, units)
    return { kind: 'unknown' }
  }
  const last = sums.at(-1) ?? new Set()
  const fits = [...last].filter((sum) => units - sum >= low && units - sum <= high)
  if (fits.length === 0) return { kind: 'different', expected: [...last].flatMap((sum) => [low + sum, high + sum]) }
  pruneOptions(book, uncertain, sums, new Set(fits))
  const [least, most] = [minimum(fits), maximum(fits)]
  book.base = { low: maximum([low, units - most]), high: minimum([high, units - least]) }
  return { kind: 'matched' }
}

function toUncertain(book: PlayerBook, bet: LiveBet): UncertainBet {
  const { currency } = book.player
  return { bet, options: expandPending(bet).map((one) => ({ one, effect: getNetEffect(one, currency) })) }
}

/** The possible sums after each bet. Undefined if there are too many. */
function sumEffects(known: bigint, uncertain: readonly UncertainBet[]): readonly ReadonlySet<bigint>[] | undefined {
  const all: ReadonlySet<bigint>[] = [new Set([known])]
  for (const { options } of uncertain) {
    const effects = [...new Set(options.map(({ effect }) => effect))]
    const next = new Set([...(all.at(-1) ?? [])].flatMap((sum) => effects.map((effect) => sum + effect)))
    if (next.size > MAX_SUMS) return undefined
    all.push(next)
  }
  return all
}

function limitByRead(book: PlayerBook, units: bigint): void {
  const { least, most } = findEffectRange(book)
  const { low, high } = book.base
  book.base = {
    low: maximum([low ?? units - most, units - most]),
    high: minimum([high ?? units - least, units - least]),
  }
  if ((book.base.low ?? 0n) > (book.base.high ?? 0n)) rebase(book, units)
}

/** Keeps an option if the other bets can add up to a sum that fits. */
function pruneOptions(
  book: PlayerBook,
  uncertain: readonly UncertainBet[],
  sums: readonly ReadonlySet<bigint>[],
  fits: ReadonlySet<bigint>,
): void {
  let wanted = fits
  for (const [index, { bet, options }] of [...uncertain.entries()].reverse()) {
    const before = [...(sums[index] ?? [])]
    const left = options.filter(({ effect }) => before.some((sum) => wanted.has(sum + effect)))
    wanted = new Set(before.filter((sum) => left.some(({ effect }) => wanted.has(sum + effect))))
    setPossibilities(
      book,
      bet,
      left.map(({ one }) => one),
    )
  }
}

function minimum(all: readonly bigint[]): bigint {
  return all.reduce((a, b) => (b < a ? b : a))
}

function maximum(all: readonly bigint[]): bigint {
  return all.reduce((a, b) => (b > a ? b : a))
}
