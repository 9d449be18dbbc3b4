/** The one table from what a call came to, to status, code and body. */
import { isoOf } from '../../ledger/account.ts'
import type { ReplyCode } from '../../protocol/codes.ts'
import type { Operation } from '../../protocol/operation.ts'
import * as wire from '../../protocol/reply.ts'
import type { Outcome } from '../apply/judge.ts'

export interface Reply {
  readonly status: 200 | 400 | 500
  /** JSON text. */
  readonly body: string
  /** For logs and metrics. */
  readonly outcome: 'accepted' | ReplyCode
}

export function replyTo(operation: Operation, outcome: Outcome): Reply {
  switch (outcome.kind) {
    case 'accepted':
      return accepted(JSON.stringify({ transactionId: outcome.betId, transactionTime: isoOf(outcome.at) }))
    case 'refused':
      return refused(outcome.code, outcome.detail)
    case 'failed':
      return failed(operation)
    default:
      return outcome satisfies never
  }
}

export function accepted(body: string): Reply {
  return { status: 200, body, outcome: 'accepted' }
}

export function refused(name: ReplyCode, detail?: string): Reply {
  return { ...wire.refused(name, detail), outcome: name }
}

export function failed(operation: Operation): Reply {
  return { ...wire.failed(operation), outcome: 'system_error' }
}
