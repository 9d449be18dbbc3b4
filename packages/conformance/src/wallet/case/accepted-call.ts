/** Accepted calls about bets. The kit repeats them at the end of the run (late-repeats.ts). */
import { type BetOperation, parseBetOperation } from '@purser/protocol/operation'
import type { Exchange } from '../../http-exchange.ts'
import { type AnswerMeaning, interpretAnswer, isAlreadyDone, parseObject } from '../play/answer-meaning.ts'
import type { PlannedRequest } from '../play/request-sender.ts'

export interface AcceptedCall {
  readonly operation: BetOperation
  /** The sent userId and transactionId. */
  readonly bet: string
  readonly name: string
  readonly request: PlannedRequest
  readonly isCashout: boolean
  readonly answer: AnswerMeaning
}

/** Undefined if the call was not accepted or concerns no bet. */
export function toAcceptedCall(request: PlannedRequest, exchange: Exchange): AcceptedCall | undefined {
  const { type, userId, transactionId, resultType } = parseObject(request.body) ?? {}
  const operation = parseBetOperation(request.method, type)
  const answer = interpretAnswer(exchange)
  if (operation === undefined || !isCarriedOut(operation, answer)) return undefined
  const bet = JSON.stringify([userId, transactionId])
  return { operation, bet, name: exchange.what, request, isCashout: resultType === 'cashout', answer }
}

/** Includes code 8 to a Rollback (C-4). */
export function isCarriedOut(operation: BetOperation, answer: AnswerMeaning): boolean {
  return answer.kind === 'accepted' || (operation === 'rollback' && isAlreadyDone(answer))
}
