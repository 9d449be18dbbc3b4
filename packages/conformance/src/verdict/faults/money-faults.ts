/**
 * Faults of one call that explain a wrong balance: for each, the minor units by which the balance
 * then differs from the books.
 */
import { isCarriedOut } from '../../wallet/case/accepted-call.ts'
import type { LiveBetState } from '../books/bet-state.ts'
import type { EndedCall } from '../books/player-book.ts'
import { type CallToWallet, getUnits } from '../live-call.ts'
import type { FaultName } from './live-fault.ts'

export interface MoneyFault {
  readonly ended: EndedCall
  readonly cause: FaultName
  /** Minor units: the wrong balance less the right one. */
  readonly difference: bigint
}

/** `balance` is the wrong balance: 0 if the wallet has taken only a part. */
export function listMoneyFaults(ended: EndedCall, balance: bigint, expected: readonly bigint[]): readonly MoneyFault[] {
  const found = ended.before.flatMap((state) => listByOperation(ended, state, balance, expected))
  const toFault = ([cause, difference]: Suspicion): MoneyFault => ({ ended, cause, difference })
  return [...findLostUpdates(ended), ...found].filter(([, difference]) => difference !== 0n).map(toFault)
}

type Suspicion = readonly [cause: FaultName, difference: bigint]

function listByOperation(
  ended: EndedCall,
  state: LiveBetState,
  balance: bigint,
  expected: readonly bigint[],
): readonly Suspicion[] {
  switch (ended.call.operation) {
    case 'place':
      return suspectPlace(ended, state)
    case 'settle':
      return [...suspectSettle(ended, state), ...suspectPart(state, ended, balance, expected)]
    case 'unsettle':
      return [...suspectUnsettle(ended, state), ...suspectPart(state, ended, balance, expected)]
    case 'rollback':
      return suspectRollback(ended, state)
    default:
      return []
  }
}

function isAccepted({ answer }: EndedCall): boolean {
  return answer.kind === 'accepted'
}

function overlapsSame({ call, overlapping }: EndedCall, operation: CallToWallet['operation']): boolean {
  return overlapping.some((other) => other.betId === call.betId && other.operation === operation)
}

function suspectPlace(ended: EndedCall, state: LiveBetState): readonly Suspicion[] {
  const stake = getUnits(ended.call) ?? 0n
  switch (state.phase) {
    case 'none':
      return isAccepted(ended) ? [['stake not debited', stake]] : [['refused bet debited', -stake]]
    case 'open':
    case 'settled':
      return [[nameSecondDebit(ended, state), -stake]]
    case 'cancelled':
    case 'reopened':
      return [[nameLateDebit(ended), -stake]]
    default:
      return state.phase satisfies never
  }
}

function nameSecondDebit(ended: EndedCall, { phase, stake }: LiveBetState): FaultName {
  if (getUnits(ended.call) !== stake) return 'double debit with another stake'
  if (overlapsSame(ended, 'place')) return 'double debit of repeats at once'
  return phase === 'settled' ? 'double debit after the result' : 'double debit on repeat'
}

function nameLateDebit(ended: EndedCall): FaultName {
  if (overlapsSame(ended, 'rollback')) return 'race of a bet and its Rollback'
  return ended.bet.wasPlaced ? 'debit after the Rollback' : 'tombstone missing'
}

function suspectSettle(ended: EndedCall, state: LiveBetState): readonly Suspicion[] {
  const payout = getUnits(ended.call) ?? 0n
  const { phase, paid, stake } = state
  if (phase === 'none')
    return [[ended.bet.wasDeclined ? 'payout of a refused bet' : 'payout of an unknown bet', payout]]
  if (phase === 'cancelled' || phase === 'reopened') return [['settle after refund', payout]]
  if (!isAccepted(ended)) return [['corrected result refused', payout - paid]]
  if (phase === 'open')
    return [
      ['payout missing', -payout],
      ['stake paid on top of the payout', stake],
    ]
  if (payout === paid) return [[nameSecondPayout(ended, state), payout]]
  return [
    ['resettle on top', paid],
    ['corrected result not applied', paid - payout],
  ]
}

function nameSecondPayout(ended: EndedCall, { resultType }: LiveBetState): FaultName {
  if (overlapsSame(ended, 'settle')) return 'payout twice at once'
  return ended.call.resultType === resultType ? 'payout twice' : 'payout again under another resultType'
}

/** A lower result or an Unsettle has emptied the account instead of being refused. */
function suspectPart(
  { phase, paid }: LiveBetState,
  { call, answer }: EndedCall,
  balance: bigint,
  expected: readonly bigint[],
): readonly Suspicion[] {
  if (phase !== 'settled' || balance !== 0n || answer.kind !== 'accepted') return []
  const taken = call.operation === 'settle' ? paid - (getUnits(call) ?? 0n) : paid
  const missing = expected.map((one) => balance - one).filter((rest) => rest > 0n && rest < taken)
  return missing.map((rest) => [
    call.operation === 'settle' ? 'lower result taken in part' : 'Unsettle takes a part',
    rest,
  ])
}

function suspectUnsettle(ended: EndedCall, { phase, paid, stake }: LiveBetState): readonly Suspicion[] {
  const { call, bet } = ended
  const named = getUnits(call)
  const refund: Suspicion = ['Unsettle refunds the stake', stake]
  if (phase === 'open') return [['Unsettle takes the payout twice', -(bet.payout ?? 0n)], refund]
  if (phase !== 'settled') return []
  return [
    ...(isAccepted(ended) ? [] : [['Unsettle takes the payout twice', -paid] as const]),
    refund,
    ...(named === undefined ? [] : [['Unsettle takes the named amount', paid - named] as const]),
  ]
}

function suspectRollback(ended: EndedCall, { phase, stake }: LiveBetState): readonly Suspicion[] {
  const { call, bet } = ended
  const named = getUnits(call) ?? 0n
  switch (phase) {
    case 'none':
      return [[bet.wasDeclined ? 'refund of a refused bet' : 'refund without stake', named]]
    case 'open':
      return [
        ['refund missing', -stake],
        ['refund of the named amount', named - stake],
      ]
    case 'settled':
      return [['refund in addition to the payout', stake]]
    case 'cancelled':
    case 'reopened':
      return suspectSecondRefund(ended, named)
    default:
      return phase satisfies never
  }
}

function suspectSecondRefund(ended: EndedCall, named: bigint): readonly Suspicion[] {
  const { bet } = ended
  if (bet.wasDeclined) return [['refund of a refused bet', named]]
  if (!bet.wasPlaced) return [['refund without stake', named]]
  const cause = overlapsSame(ended, 'rollback') ? 'refund twice at once' : 'refund twice'
  const stake = bet.stake ?? named
  return [
    [cause, stake],
    [cause, named],
  ]
}

/** Calls about other bets at the same time have overwritten the effect of this call. */
function findLostUpdates(ended: EndedCall): readonly Suspicion[] {
  const { call, overlapping, answer, before } = ended
  const others = overlapping.filter(({ betId }) => betId !== undefined && betId !== call.betId)
  if (call.operation === undefined || others.length === 0) return []
  if (call.operation in READS || !isCarriedOut(call.operation as 'place', answer)) return []
  const isMixed = new Set([call, ...others].map(({ operation }) => operation)).size > 1
  const cause = isMixed ? 'lost update of a bet and a result' : 'lost update of calls at once'
  return before.map((state) => [cause, -findEffect(call, state)])
}

const READS = { profile: true, balance: true, check: true }

/** Minor units by which the call had to change the balance. */
function findEffect(call: CallToWallet, { phase, paid, stake }: LiveBetState): bigint {
  const units = getUnits(call) ?? 0n
  if (call.operation === 'place') return phase === 'none' ? -units : 0n
  if (phase !== 'open' && phase !== 'settled') return 0n
  if (call.operation === 'settle') return units - paid
  return call.operation === 'rollback' && phase === 'open' ? stake : -paid
}
