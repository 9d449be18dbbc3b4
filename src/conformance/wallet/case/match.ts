/** What an answer may mean: which of the allowed answers it is, and what the balances are then. */
import { type Answer, describeAnswer, isFinal, isSystemError } from '../play/answer.ts'
import { applyChange, type Books, type Change, changesSettlement, isPlaced, isSettled } from '../play/books.ts'
import type { Allowed, Call } from './case.ts'

/** A call as it went, with what its answer may mean. */
export interface Judged {
  readonly call: Call
  readonly name: string
  readonly answer: Answer
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

export function explain({ answer, call }: Judged): string {
  const allowed = call.allow.map((one) => {
    if (one.kind === 'accepted') return 'accepted'
    if (one.kind === 'lost') return 'no success'
    if (one.kind === 'given up') return 'a failure, and its Rollback'
    return one.codes.length === 0 ? 'refused' : `refused with ${one.codes.join(' or ')}`
  })
  return `${describeAnswer(answer)}; allowed: ${[...new Set(allowed)].join(', ')}`
}

/** Every state of the books that the answers may mean; calls at the same moment are taken in the order of the case. */
export function possibleBooks(start: Books, judged: readonly Judged[]): Books[] {
  const isAlone = judged.length === 1
  let possible: Books[] = [start]
  for (const { call, amount, matches } of judged) {
    const bet = betOf(call)
    const next = possible.flatMap((books) =>
      matches
        .filter((one) =>
          isPossible(one, books, bet, isAlone && !changesSettlement(books, bet, amount, call.resultType)),
        )
        .map((one) => applyChange(books, changeOf(call, one, amount))),
    )
    possible = withoutTwins(next)
  }
  return possible
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
