/** The calls about bets to which the wallet said yes: they are sent once more at the end of the run (late.ts). */
import { type BetOperation, parseBetOperation } from '../../../protocol/operation.ts'
import type { Exchange } from '../../http-exchange.ts'
import { type AnswerMeaning, interpretAnswer, isAlreadyDone, parseObject } from '../play/answer-meaning.ts'
import type { PlannedRequest } from '../play/request-sender.ts'

export interface AcceptedCall {
  readonly operation: BetOperation
  /** The player and the id, as sent. */
  readonly bet: string
  readonly name: string
  readonly request: PlannedRequest
  readonly isCashout: boolean
  readonly answer: AnswerMeaning
}

/** Undefined for a call that was not accepted, or is about no bet. */
export function toAcceptedCall(request: PlannedRequest, exchange: Exchange): AcceptedCall | undefined {
  const { type, userId, transactionId, resultType } = parseObject(request.body) ?? {}
  const operation = parseBetOperation(request.method, type)
  const answer = interpretAnswer(exchange)
  if (operation === undefined || !isCarriedOut(operation, answer)) return undefined
  const bet = JSON.stringify([userId, transactionId])
  return { operation, bet, name: exchange.what, request, isCashout: resultType === 'cashout', answer }
}

/** Code 8 in answer to a Rollback counts as done. */
export function isCarriedOut(operation: BetOperation, answer: AnswerMeaning): boolean {
  return answer.kind === 'accepted' || (operation === 'rollback' && isAlreadyDone(answer))
}
