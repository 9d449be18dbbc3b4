/** What an answer may mean: which of the allowed answers it is, and what the balances are then. */
import type { Exchange } from '../../exchange.ts'
import { type Answer, isFinal, isSystemError } from '../play/answer.ts'
import { applyChange, type Books, type Change, changesSettlement, isPlaced, isSettled } from '../play/books.ts'
import type { Allowed, Call } from './case.ts'

/** A call as it went, with what its answer may mean. */
export interface Judged {
  readonly call: Call
  readonly name: string
  readonly answer: Answer
  /** The last attempt. */
  readonly exchange: Exchange
  /** Minor units. */
  readonly amount: bigint | undefined
  readonly matches: readonly Allowed[]
}

export function matchesOf({ allow }: Call, answer: Answer): Allowed[] {
  return allow.filter((allowed) => fits(allowed, answer))
}

/** A code that is missing is a matter of form (lint.ts), so it fits any. */
function fits(allowed: Allowed, answer: Answer): boolean {
  if (allowed.kind === 'given up' || allowed.kind === 'lost') return isFailure(answer)
  if (allowed.kind !== 'refused' || answer.kind !== 'refused') return allowed.kind === answer.kind
  if (allowed.effect !== 'nothing' && !isFinal(answer)) return false
  return allowed.codes.length === 0 || answer.code === undefined || allowed.codes.includes(answer.code)
}

/** What makes the service send a Rollback after Place bet: nobody knows whether it was debited. */
function isFailure(answer: Answer): boolean {
  return answer.kind === 'lost' || isSystemError(answer) || (answer.kind === 'refused' && !isFinal(answer))
}

/** As the bet was before the calls of this moment. */
export function isAllowedNow(books: Books, { call, matches }: Judged): boolean {
  return matches.some((allowed) => isPossible(allowed, books, betOf(call), false))
}

/** Every state of the books that the answers may mean, or the first call whose answer fits none. */
export type Possible =
  | { readonly kind: 'some'; readonly books: readonly Books[] }
  | { readonly kind: 'none'; readonly wrong: Judged; readonly before: Books; readonly isAlone: boolean }

/** Calls at the same moment are taken in the order of the case. */
export function possibleBooks(start: Books, judged: readonly Judged[]): Possible {
  const isAlone = judged.length === 1
  let possible: readonly Books[] = [start]
  for (const one of judged) {
    const next = possible.flatMap((books) =>
      one.matches
        .filter((allowed) => isAllowed(allowed, books, one, isAlone))
        .map((allowed) => applyChange(books, changeOf(one.call, allowed, one.amount))),
    )
    const [before = start] = possible
    if (next.length === 0) return { kind: 'none', wrong: one, before, isAlone }
    possible = withoutTwins(next)
  }
  return { kind: 'some', books: possible }
}

/** By the state of the bet; a call that is alone changes the settlement only when it differs from it. */
export function isAllowed(
  allowed: Allowed,
  books: Books,
  { call, amount }: Pick<Judged, 'call' | 'amount'>,
  isAlone: boolean,
): boolean {
  const bet = betOf(call)
  return isPossible(allowed, books, bet, isAlone && !changesSettlement(books, bet, amount, call.resultType))
}

function isPossible({ only }: Allowed, books: Books, bet: string, nothingChanges: boolean): boolean {
  if (only === 'settled') return isSettled(books, bet)
  if (only === 'placed' || only === 'unplaced') return isPlaced(books, bet) === (only === 'placed')
  return !(only === 'changed' && nothingChanges)
}

function changeOf(call: Call, { effect }: Allowed, amount: bigint | undefined): Change {
  const { who, purse, resultType } = call
  return { effect, bet: betOf(call), purse: `${who}/${purse}`, amount, resultType }
}

function betOf({ who, bet }: Call): string {
  return `${who}/${bet}`
}

function withoutTwins(books: readonly Books[]): Books[] {
  const text = ({ balances, bets }: Books) =>
    [...balances, ...[...bets].map(([bet, { paid, stake }]) => [bet, paid, stake])].flat().join()
  return [...new Map(books.map((one) => [text(one), one])).values()]
}
