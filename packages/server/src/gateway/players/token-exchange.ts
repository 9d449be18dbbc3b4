/**
 * Exchange of an operator's token for a token of the gateway. The operator must know its token, and
 * answers with the player and the currency.
 */

import { type CallOutcome, classifyAnswer } from '@purser/protocol/client/answer-classification'
import { findCallerRefusal } from '@purser/protocol/client/caller-refusals'
import { OPERATIONS } from '@purser/protocol/operation'
import type { UserProfile } from '@purser/protocol/user-profile'
import { environment } from '@purser/runtime/environment'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import type { OperatorCallResult } from '../operators/operator-client.ts'
import type { Operators } from '../operators/operators.ts'
import { isOperatorUser } from '../wire/gateway-call.ts'
import type { GatewaySession, PlayerDirectory } from './player-directory.ts'

export type TokenExchangeResult =
  | { readonly kind: 'exchanged'; readonly session: GatewaySession; readonly currency: string }
  | { readonly kind: 'unknown_operator' }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'failed'; readonly detail: string }
  /** The operator rejected the gateway itself, not the token (D-7). */
  | { readonly kind: 'gateway_refused'; readonly detail: string }

export async function exchangeToken(
  { operators, directory }: { operators: Operators; directory: PlayerDirectory },
  author: Actor,
  operatorId: string,
  operatorToken: string,
): Promise<TokenExchangeResult> {
  const client = await operators.findClient(operatorId, 'users')
  if (client === undefined) return { kind: 'unknown_operator' }
  const { method, path } = OPERATIONS.profile
  const body = Buffer.from(JSON.stringify({ token: operatorToken, requestId: environment.uuid() }))
  const result = await client.send({ method, path, body, arrivedAt: environment.monotonicNow() })
  const refusal = findGatewayRefusal(result)
  if (refusal !== undefined) return { kind: 'gateway_refused', detail: refusal }
  const outcome = toCallOutcome(result)
  if (outcome.kind === 'refused') return outcome
  if (outcome.kind === 'unknown') return { kind: 'failed', detail: outcome.detail }
  const { userId: operatorUser, currency } = outcome.reply as UserProfile
  if (!isOperatorUser(operatorUser))
    return { kind: 'failed', detail: 'the userId cannot be sent as operatorUser (P-5)' }
  const session = await directory.openSession(author, { operatorId, operatorUser, currency, operatorToken })
  return { kind: 'exchanged', session, currency }
}

function findGatewayRefusal(result: OperatorCallResult): string | undefined {
  return result.kind === 'sent' && result.exchange.kind === 'answered' ? findCallerRefusal(result.exchange) : undefined
}

function toCallOutcome(result: OperatorCallResult): CallOutcome {
  const exchange = result.kind === 'sent' ? result.exchange : result
  if (exchange.kind === 'answered') return classifyAnswer('profile', exchange)
  return { kind: 'unknown', reason: 'network', detail: exchange.detail }
}
