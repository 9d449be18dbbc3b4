/**
 * Answers to calls about unknown players (G-3). The gateway stores a player id before the platform
 * gets it, and never reuses it. So no bet exists under an unknown id, and the gateway answers as a
 * wallet that does not know the player.
 *
 * An unknown id in the gateway's own format is different: the database is a wrong one or an old
 * backup. Then the call fails. The operator may hold a stake, and a 200 to a Rollback would leave
 * the stake there.
 */

import { requireShape, type Validator } from '@purser/protocol/call-fault'
import { VALIDATORS } from '@purser/protocol/call-validators'
import { catchMalformed, MalformedCall } from '@purser/protocol/request-body'
import { createFailure, createRefusal, type WireReply } from '@purser/protocol/wire-reply'
import type { Clock } from '@purser/runtime/clock'
import { isOwnUserId } from '../players/gateway-user-id.ts'
import type { GatewayCall } from './gateway-call.ts'

/**
 * The shape is checked first. A Rollback moves nothing and is done (W-11); nothing is stored.
 */
export function answerUnknownPlayer({ operation, body, userId = '' }: GatewayCall, clock: Clock): WireReply {
  const { transactionId } = body
  const fault = catchMalformed(() => requireShape(VALIDATORS[operation] as Validator<object>, body))
  if (fault instanceof MalformedCall) return createRefusal('invalid_request', fault.message)
  if (isOwnUserId(userId)) return createFailure(operation) // the operator may hold a stake (G-3)
  switch (operation) {
    case 'place':
    case 'profile':
    case 'balance':
      return createRefusal('invalid_token') // a token that never existed (P-1)
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
