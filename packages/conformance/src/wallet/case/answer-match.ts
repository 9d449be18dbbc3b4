/**
 * Matches an answer with the allowed answers, and finds the balances that can follow
 * (expected-books.ts).
 */
import type { Exchange } from '../../http-exchange.ts'
import { type AnswerMeaning, isFinalStatus, isSystemErrorAnswer } from '../play/answer-meaning.ts'
import {
  applyBookChange,
  type BookChange,
  changesSettlement,
  type ExpectedBooks,
  hasPlacedStake,
  hasSettlement,
} from '../play/expected-books.ts'
import type { AllowedAnswer, CallStep } from './wallet-case.ts'

export interface JudgedCall {
  readonly call: CallStep
  readonly name: string
  readonly answer: AnswerMeaning
  /** The last attempt. */
  readonly exchange: Exchange
  /** Minor units. */
  readonly amount: bigint | undefined
  readonly matches: readonly AllowedAnswer[]
}

export function findMatches<A extends AllowedAnswer>(
  { allow }: { readonly allow: readonly A[] },
  answer: AnswerMeaning,
): A[] {
  return allow.filter((allowed) => matchesAnswer(allowed, answer))
}

/** A missing code matches any code, because answer-lint.ts judges the form of answers. */
function matchesAnswer(allowed: AllowedAnswer, answer: AnswerMeaning): boolean {
  if (allowed.kind === 'given up' || allowed.kind === 'lost') return isFailure(answer)
  if (allowed.kind !== 'refused' || answer.kind !== 'refused') return allowed.kind === answer.kind
  if (allowed.effect !== 'nothing' && !isFinalStatus(answer)) return false
  return allowed.codes.length === 0 || answer.code === undefined || allowed.codes.includes(answer.code)
}

/**
 * These answers to a Place bet make the service send a Rollback. The stake may have been debited.
 */
function isFailure(answer: AnswerMeaning): boolean {
  return answer.kind === 'lost' || isSystemErrorAnswer(answer) || (answer.kind === 'refused' && !isFinalStatus(answer))
}

/** `books` are those before the concurrent calls. */
export function isAllowedNow(books: ExpectedBooks, { call, matches }: JudgedCall): boolean {
  return matches.some((allowed) => isConditionMet(allowed, books, toBetKey(call), false))
}

/** Every possible state of the books, or the first call whose answer fits none. */
export type PossibleBooks =
  | { readonly kind: 'some'; readonly books: readonly ExpectedBooks[] }
  | {
      readonly kind: 'none'
      readonly wrong: JudgedCall
      readonly before: ExpectedBooks
      readonly isSingleCall: boolean
    }

/** Concurrent calls are applied in the order of the case. */
export function findPossibleBooks(start: ExpectedBooks, judged: readonly JudgedCall[]): PossibleBooks {
  const isSingleCall = judged.length === 1
  let possible: readonly ExpectedBooks[] = [start]
  for (const one of judged) {
    const next = possible.flatMap((books) =>
      one.matches
        .filter((allowed) => isAllowed(allowed, books, one, isSingleCall))
        .map((allowed) => applyBookChange(books, toBookChange(one.call, allowed, one.amount))),
    )
    const [before = start] = possible
    if (next.length === 0) return { kind: 'none', wrong: one, before, isSingleCall }
    possible = dedupeBooks(next)
  }
  return { kind: 'some', books: possible }
}

/**
 * A single call must differ from the settlement to change it. A concurrent call may always change
 * it.
 */
export function isAllowed(
  allowed: AllowedAnswer,
  books: ExpectedBooks,
  { call, amount }: Pick<JudgedCall, 'call' | 'amount'>,
  isSingleCall: boolean,
): boolean {
  const bet = toBetKey(call)
  return isConditionMet(allowed, books, bet, isSingleCall && !changesSettlement(books, bet, amount, call.resultType))
}

function isConditionMet({ only }: AllowedAnswer, books: ExpectedBooks, bet: string, nothingChanges: boolean): boolean {
  if (only === 'settled') return hasSettlement(books, bet)
  if (only === 'placed' || only === 'unplaced') return hasPlacedStake(books, bet) === (only === 'placed')
  return !(only === 'changed' && nothingChanges)
}

function toBookChange(call: CallStep, { effect }: AllowedAnswer, amount: bigint | undefined): BookChange {
  const { who, currency, resultType } = call
  return { effect, bet: toBetKey(call), balanceKey: `${who}/${currency}`, amount, resultType }
}

function toBetKey({ who, bet }: CallStep): string {
  return `${who}/${bet}`
}

function dedupeBooks(books: readonly ExpectedBooks[]): ExpectedBooks[] {
  const text = ({ balances, bets }: ExpectedBooks) =>
    [...balances, ...[...bets].map(([bet, { paid, stake }]) => [bet, paid, stake])].flat().join()
  return [...new Map(books.map((one) => [text(one), one])).values()]
}
