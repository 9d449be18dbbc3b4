/**
 * One possible state of a bet in the wallet, and the state that follows from an answer.
 *
 * - none: no stake is debited, and no Rollback has arrived.
 * - open: the stake is debited.
 * - settled: a result is applied.
 * - cancelled: a Rollback has arrived, before or after the stake was debited.
 * - reopened: an Unsettle was accepted after the Rollback, which the interface leaves open.
 */
import type { AllowedAnswer, BetEffect } from '../../wallet/case/wallet-case.ts'
import { type BetMoney, moveBet, netEffect } from '../../wallet/play/expected-books.ts'
import type { FaultName } from '../faults/live-fault.ts'
import { type CallToWallet, getUnits } from '../live-call.ts'

export type BetPhase = 'none' | 'open' | 'settled' | 'cancelled' | 'reopened'

export interface LiveBetState extends BetMoney {
  readonly phase: BetPhase
  /** Minor units that a fault has moved in addition: negative for a second debit. */
  readonly excess: bigint
  /** The wallet has booked the excess, so that it returns it with the stake or the payout. */
  readonly returnsExcess?: true
}

/**
 * - funds: the answer needs a balance of at least the stake.
 * - no funds: the answer needs a balance below the stake.
 */
export type FundsCondition = 'funds' | 'no funds'

export type LiveAllowed = AllowedAnswer & {
  readonly advice?: FaultName
  readonly needs?: FundsCondition
  /** Minor units, instead of the amount of the call. */
  readonly units?: bigint
  /**
   * - reopened: the bet is open again after its Rollback.
   * - unpaid: the bet is open again, and the payout has stayed.
   */
  readonly becomes?: 'reopened' | 'unpaid'
}

/** `currency` of the bet; the balance of the player changes only in this currency. */
export function createLiveBetState(currency: string): LiveBetState {
  return { phase: 'none', balanceKey: currency, stake: 0n, paid: 0n, excess: 0n }
}

export function findNextState(state: LiveBetState, call: CallToWallet, allowed: LiveAllowed): LiveBetState {
  if (allowed.becomes === 'reopened') return { ...state, phase: 'reopened' }
  if (allowed.becomes === 'unpaid') return keepPayout(state)
  if (allowed.effect === 'nothing' || (allowed.effect === 'debit' && state.phase !== 'none')) return state
  const amount = allowed.units ?? getUnits(call) ?? 0n
  const { resultType = '' } = call
  const {
    balanceKey,
    stake,
    paid,
    resultType: applied,
  } = moveBet(state, { effect: allowed.effect, amount, resultType })
  const money = { balanceKey, stake, paid, ...(applied !== undefined && { resultType: applied }) }
  const excess = keepExcess(state, allowed.effect)
  switch (allowed.effect) {
    case 'debit':
      return { ...money, ...excess, phase: 'open', balanceKey: call.currency ?? balanceKey }
    case 'pay':
      return { ...money, ...excess, phase: 'settled' }
    case 'unpay':
      return { ...money, ...excess, phase: state.phase === 'settled' ? 'open' : state.phase }
    case 'cancel':
      return { ...money, ...excess, phase: 'cancelled' }
    default:
      return allowed.effect satisfies never
  }
}

function keepPayout({ resultType: _, ...state }: LiveBetState): LiveBetState {
  return { ...state, phase: 'open', paid: 0n, excess: state.excess + state.paid }
}

/** A second payout is taken back with the first one, a second stake only with the bet. */
function keepExcess(
  { excess, returnsExcess }: LiveBetState,
  effect: BetEffect,
): Pick<LiveBetState, 'excess' | 'returnsExcess'> {
  const isReturned = returnsExcess && (effect === 'cancel' || excess > 0n)
  return isReturned ? { excess: 0n } : { excess, ...(returnsExcess && { returnsExcess }) }
}

/** Minor units by which the bet has changed the balance of its currency. */
export function getStateEffect(state: LiveBetState): bigint {
  return netEffect(state) + state.excess
}

export function formatStateKey({
  phase,
  balanceKey,
  stake,
  paid,
  resultType,
  excess,
  returnsExcess,
}: LiveBetState): string {
  return [phase, balanceKey, stake, paid, resultType, excess, returnsExcess].join(' ')
}
