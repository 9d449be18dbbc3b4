/** What an answer may mean: which of the allowed answers it is, and what the balances are then. */
import { resolveAmount } from './amounts.ts'
import { type Answer, describeAnswer } from './answer.ts'
import { applyChange, type Books, type Change, changesSettlement, isSettled } from './books.ts'
import type { Allowed, Call } from './case.ts'
import { type Play, playerOf } from './plan.ts'
import { accountOf } from './request.ts'

/** A call as it went, with what its answer may mean. */
export interface Judged {
  readonly call: Call
  readonly name: string
  readonly answer: Answer
  /** Minor units. */
  readonly amount: bigint | undefined
  readonly matches: readonly Allowed[]
}

/** A code that is missing is a matter of form (lint.ts), so it fits any. */
export function fits(allowed: Allowed, answer: Answer): boolean {
  if (allowed.kind === 'accepted' || answer.kind !== 'refused') return allowed.kind === answer.kind
  return allowed.codes.length === 0 || answer.code === undefined || allowed.codes.includes(answer.code)
}

export function explain({ answer, call }: Judged): string {
  const allowed = call.allow.map((one) => {
    if (one.kind === 'accepted') return 'accepted'
    return one.codes.length === 0 ? 'refused' : `refused with ${one.codes.join(' or ')}`
  })
  return `${describeAnswer(answer)}; allowed: ${[...new Set(allowed)].join(', ')}`
}

/** Every state of the books that the answers may mean; calls at the same moment are taken in the order of the case. */
export function possibleBooks(play: Play, judged: readonly Judged[]): Books[] {
  const isAlone = judged.length === 1
  let possible: Books[] = [play.books]
  for (const { call, amount, matches } of judged) {
    const bet = `${call.who}/${call.bet}`
    const next = possible.flatMap((books) =>
      matches
        .filter((one) =>
          isPossible(one, books, bet, isAlone && !changesSettlement(books, bet, amount, call.resultType)),
        )
        .map((one) => applyChange(books, changeOf(play, call, one, amount))),
    )
    possible = withoutTwins(next)
  }
  return possible
}

function isPossible({ only }: Allowed, books: Books, bet: string, nothingChanges: boolean): boolean {
  if (only === 'settled') return isSettled(books, bet)
  if (only === 'unplaced') return !books.bets.has(bet)
  return !(only === 'changed' && nothingChanges)
}

function changeOf(play: Play, call: Call, allowed: Allowed, amount: bigint | undefined): Change {
  const { who, bet, purse, resultType } = call
  const { scale } = accountOf(playerOf(play, who), call)
  const other = allowed.kind === 'accepted' && allowed.amount !== undefined ? allowed.amount : undefined
  const moved = other === undefined ? amount : resolveAmount(other, 0n, scale).units
  return { effect: allowed.effect, bet: `${who}/${bet}`, purse: `${who}/${purse}`, amount: moved, resultType }
}

function withoutTwins(books: readonly Books[]): Books[] {
  const text = ({ balances, bets }: Books) =>
    [...balances, ...[...bets].map(([bet, { paid, stake }]) => [bet, paid, stake])].flat().join()
  return [...new Map(books.map((one) => [text(one), one])).values()]
}
