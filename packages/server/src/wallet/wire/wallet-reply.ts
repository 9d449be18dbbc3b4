/** Converts the outcome of a call to the status, code and body of the reply. */

import type { Operation } from '@purser/protocol/operation'
import type { ReplyCode } from '@purser/protocol/reply-codes'
import * as wire from '@purser/protocol/wire-reply'
import { isoOf } from '../ledger/account.ts'
import type { BetCallOutcome } from '../queue/rules-path.ts'

export interface WalletReply {
  readonly status: 200 | 400 | 500
  /** JSON text. */
  readonly body: string
  /** For logs and metrics. */
  readonly outcome: 'accepted' | ReplyCode
}

export function toReply(operation: Operation, outcome: BetCallOutcome): WalletReply {
  switch (outcome.kind) {
    case 'accepted':
      return acceptedReply(JSON.stringify({ transactionId: outcome.betId, transactionTime: isoOf(outcome.at) }))
    case 'refused':
      return refusedReply(outcome.code, outcome.detail)
    case 'failed':
      return failedReply(operation)
    default:
      return outcome satisfies never
  }
}

export function acceptedReply(body: string): WalletReply {
  return { status: 200, body, outcome: 'accepted' }
}

export function refusedReply(name: ReplyCode, detail?: string): WalletReply {
  return { ...wire.createRefusal(name, detail), outcome: name }
}

export function failedReply(operation: Operation): WalletReply {
  return { ...wire.createFailure(operation), outcome: 'system_error' }
}
