/**
 * Calls that name no player of the gateway's. Its ids are never used twice and nobody hears of one before it is stored, so
 * there is no bet under an unknown id and never will be: a wallet's answers to a player that it does not know. But an id
 * of the gateway's own making, unknown, says that this is the wrong database, or one from before it: what the operator
 * has done is not known then, and a yes to a rollback would leave the stake with the operator.
 */

import { requireShape, type Validator } from '../../../protocol/call-fault.ts'
import { VALIDATORS } from '../../../protocol/call-validators.ts'
import { catchMalformed, MalformedCall } from '../../../protocol/request-body.ts'
import { createFailure, createRefusal, type WireReply } from '../../../protocol/wire-reply.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { isOwnUserId } from '../players/gateway-user-id.ts'
import type { GatewayCall } from './gateway-call.ts'

/** Shape first, as R-6 has it. A rollback moves nothing and is done (W-11); there is nothing to remember of it. */
export function answerUnknownPlayer({ operation, body, userId = '' }: GatewayCall, clock: Clock): WireReply {
  const { transactionId } = body
  const fault = catchMalformed(() => requireShape(VALIDATORS[operation] as Validator<object>, body))
  if (fault instanceof MalformedCall) return createRefusal('invalid_request', fault.message)
  if (isOwnUserId(userId)) return createFailure(operation) // G-3
  switch (operation) {
    case 'place':
    case 'profile':
    case 'balance':
      return createRefusal('invalid_token') // P-1
    case 'settle':
    case 'unsettle':
    case 'check':
      return createRefusal(
        'invalid_request',
        'transactionId names no bet of this player; it must name an accepted Place bet',
      )
    case 'rollback':
      return createRollbackReply(String(transactionId), clock.now())
    default:
      return operation satisfies never
  }
}

function createRollbackReply(transactionId: string, at: Date): WireReply {
  return { status: 200, body: JSON.stringify({ transactionId, transactionTime: at.toISOString() }) }
}
