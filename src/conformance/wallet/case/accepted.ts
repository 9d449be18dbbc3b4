/** The calls about bets to which the wallet said yes: they are sent once more at the end of the run (late.ts). */
import { type BetOperation, betOperationOf } from '../../../protocol/operation.ts'
import type { Exchange } from '../../exchange.ts'
import { type Answer, isAlreadyDone, readAnswer, readObject } from '../play/answer.ts'
import type { PlannedRequest } from '../play/sender.ts'

export interface Accepted {
  readonly operation: BetOperation
  /** The player and the id, as sent. */
  readonly bet: string
  readonly name: string
  readonly request: PlannedRequest
  readonly isCashout: boolean
  readonly answer: Answer
}

/** Undefined for a call that was not accepted, or is about no bet. */
export function acceptedOf(request: PlannedRequest, exchange: Exchange): Accepted | undefined {
  const { type, userId, transactionId, resultType } = readObject(request.body) ?? {}
  const operation = betOperationOf(request.method, type)
  const answer = readAnswer(exchange)
  if (operation === undefined || !isDone(operation, answer)) return undefined
  const bet = JSON.stringify([userId, transactionId])
  return { operation, bet, name: exchange.what, request, isCashout: resultType === 'cashout', answer }
}

/** Code 8 in answer to a Rollback counts as done. */
export function isDone(operation: BetOperation, answer: Answer): boolean {
  return answer.kind === 'accepted' || (operation === 'rollback' && isAlreadyDone(answer))
}
