/** Names the fault of an answer that the interface forbids. */

import { replyCodes } from '@purser/protocol/reply-codes'
import type { AnswerMeaning } from '../../wallet/play/answer-meaning.ts'
import { isTokenMissing } from '../books/allowed-answers.ts'
import type { LiveBet } from '../books/bet-history.ts'
import type { LiveBetState } from '../books/bet-state.ts'
import { type CallToWallet, getUnits } from '../live-call.ts'
import type { FaultName } from './live-fault.ts'

/** `states`: the states of the bet that were possible at the answer. */
export function nameAnswerFault(
  call: CallToWallet,
  answer: AnswerMeaning,
  bet: LiveBet,
  states: readonly LiveBetState[],
): FaultName {
  const [state] = states
  return answer.kind === 'accepted'
    ? nameWrongSuccess(call, bet, state)
    : nameWrongRefusal(call, answer.kind === 'refused' ? answer.code : undefined, state)
}

/** A success of a call that no wallet may accept in any state of the bet. */
export function nameForbiddenSuccess({ operation, isSigned, token, amount, betId, request }: CallToWallet): FaultName {
  if (operation === undefined) return 'invalid type accepted'
  if (!isSigned) return UNSIGNED[operation]
  if (token === 'dead') return 'dead token accepted'
  if (token === 'foreign') return 'token of another player accepted'
  if (token === 'none') return 'missing token accepted'
  if (betId === undefined || betId === '') return 'bet without an id accepted'
  if (amount.kind !== 'none') return 'unknown currency accepted'
  return /"amount"\s*:/.test(request.body) ? 'negative amount accepted' : 'bet without an amount accepted'
}

const UNSIGNED = {
  place: 'unsigned bet accepted',
  settle: 'unsigned result accepted',
  unsettle: 'unsigned Unsettle accepted',
  rollback: 'unsigned Rollback accepted',
  profile: 'unsigned User data answered',
  balance: 'unsigned Balance answered',
  check: 'unsigned Check answered',
} as const satisfies Record<string, FaultName>

function nameWrongSuccess(call: CallToWallet, bet: LiveBet, state: LiveBetState | undefined): FaultName {
  if (!call.isSigned || call.operation !== 'settle') return nameForbiddenSuccess(call)
  if (call.amount.kind === 'none') return 'result without an amount accepted'
  if (state?.phase === 'cancelled') return 'settle after refund'
  if (state?.phase === 'none') return bet.wasDeclined ? 'payout of a refused bet' : 'payout of an unknown bet'
  return isTokenMissing(call) ? nameCashoutFault(call) : 'payout of an unknown bet'
}

function nameCashoutFault({ token }: CallToWallet): FaultName {
  if (token === 'dead') return 'cashout with a dead token'
  return token === 'foreign' ? 'cashout with the token of another player' : 'cashout without a token'
}

const TOKEN_CODES = replyCodes('invalid_token', 'expired_token')

function nameWrongRefusal(call: CallToWallet, code: number | undefined, state: LiveBetState | undefined): FaultName {
  if (call.operation === 'rollback') return nameRollbackRefusal(call, code, state)
  if (state?.phase !== 'settled') return 'result refused'
  const units = getUnits(call) ?? 0n
  if (units === state.paid && call.resultType === state.resultType) return 'repeated result refused'
  return units < state.paid ? 'lower result refused with a wrong code' : 'corrected result refused'
}

function nameRollbackRefusal(
  { token }: CallToWallet,
  code: number | undefined,
  state: LiveBetState | undefined,
): FaultName {
  if (state?.phase === 'cancelled') return 'repeated Rollback refused'
  if (state?.phase === 'none') return 'Rollback of an unknown bet refused'
  const isForToken = code !== undefined && TOKEN_CODES.includes(code)
  return isForToken && token !== 'none' ? 'Rollback refused for its token' : 'Rollback refused'
}
