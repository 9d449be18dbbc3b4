/**
 * Invariants of every history of one bet.
 *
 * They use only requests, answers and moved money, not the states of a bet. So an invariant is
 * broken even by an error that the wallet's rules and the auditor share. The functions are pure.
 */

import type { ReplyCode } from '@purser/protocol/reply-codes'
import { effectOnPlayer } from 'purser/wallet/ledger/posting'
import type { Transfer } from 'purser/wallet/ledger/transfer'
import type { BetCall } from 'purser/wallet/store/bet'

export interface HistoryFacts {
  /** The number of times that the stake was taken. */
  readonly stakes: number
  /** The wallet has refused the bet for good, or acknowledged its Rollback. */
  readonly isGivenUp: boolean
  readonly done: ReadonlySet<number>
  /** Results refused with 20 or 21. `passed`: a later acknowledged result has replaced them. */
  readonly refused: ReadonlySet<number>
  readonly passed: ReadonlySet<number>
}

export const NO_FACTS: HistoryFacts = {
  stakes: 0,
  isGivenUp: false,
  done: new Set(),
  refused: new Set(),
  passed: new Set(),
}

export interface CheckedStep {
  readonly kind: BetCall['kind']
  readonly request: number
  /** The code of a refusal; undefined for a 200. */
  readonly code: ReplyCode | undefined
  /** The call took effect in this step. */
  readonly hasEffect: boolean
  readonly posted: readonly Transfer[]
  readonly before: bigint
  readonly after: bigint
  /** A result may take back more than the balance (L-2). */
  readonly mayGoBelowZero: boolean
}

type IsBroken = (step: CheckedStep, facts: HistoryFacts) => boolean

const INVARIANTS: Readonly<Record<string, IsBroken>> = {
  'a refusal moves no money': ({ code, posted }) => code !== undefined && posted.length > 0,
  'a balance changes by the booked amount': ({ before, after, posted }) => after - before !== sumEffects(posted),
  'every booked amount is above zero': ({ posted }) => posted.some(({ amount }) => amount <= 0n),
  'a stake is debited at most once': ({ posted }, { stakes }) => stakes + countStakes(posted) > 1,
  'an abandoned bet moves no more money': ({ posted }, { isGivenUp }) => isGivenUp && posted.length > 0,
  'a call that was answered 200 moves money once': ({ request, posted }, { done }) =>
    done.has(request) && posted.length > 0,
  'a refused result is never applied after a newer result (I-2 request ids and late repeats)': (
    { request, hasEffect },
    { passed },
  ) => hasEffect && passed.has(request),
  'no player loses more than the balance (L-2 clawback)': ({ before, after, mayGoBelowZero }) =>
    !mayGoBelowZero && after < 0n && after < before,
}

export function findBrokenInvariant(step: CheckedStep, facts: HistoryFacts): string | undefined {
  return Object.entries(INVARIANTS).find(([, isBroken]) => isBroken(step, facts))?.[0]
}

export function updateFacts(facts: HistoryFacts, { kind, request, code, posted }: CheckedStep): HistoryFacts {
  const isResult = kind === 'settle' || kind === 'unsettle'
  const passes = isResult && code === undefined && !facts.done.has(request)
  const isFinal = isResult && (code === 'recalculation_blocked' || code === 'recalculation_negative')
  return {
    stakes: facts.stakes + countStakes(posted),
    isGivenUp: facts.isGivenUp || isGivingUp(kind, code),
    done: code === undefined ? withRequest(facts.done, request) : facts.done,
    refused: isFinal ? withRequest(facts.refused, request) : facts.refused,
    passed: passes ? new Set([...facts.passed, ...facts.refused].filter((one) => one !== request)) : facts.passed,
  }
}

/** An acknowledged Rollback, or a Place bet without enough money (I-3). */
function isGivingUp(kind: CheckedStep['kind'], code: CheckedStep['code']): boolean {
  return kind === 'rollback' ? code === undefined : kind === 'place' && code === 'not_enough_money'
}

function withRequest(requests: ReadonlySet<number>, request: number): ReadonlySet<number> {
  return requests.has(request) ? requests : new Set([...requests, request])
}

function sumEffects(posted: readonly Transfer[]): bigint {
  return posted.reduce((sum, transfer) => sum + effectOnPlayer(transfer), 0n)
}

function countStakes(posted: readonly Transfer[]): number {
  return posted.filter(({ kind }) => kind === 'stake').length
}
