/** The one table from what a call came to, to status, code and body. */
import { isoOf } from '../ledger/account.ts'
import { REPLY_CODES, type ReplyCode } from '../protocol/codes.ts'
import type { Operation } from '../protocol/operation.ts'
import type { Outcome } from './apply.ts'

export interface Reply {
  readonly status: 200 | 400 | 500
  /** JSON text. */
  readonly body: string
  /** For logs and metrics. */
  readonly outcome: 'accepted' | ReplyCode
}

/** a Place bet is answered so that the platform rolls back, every other call so that it tries again. */
const FAILED_STATUS = {
  place: 400,
  settle: 500,
  unsettle: 500,
  rollback: 500,
  profile: 500,
  balance: 500,
  check: 500,
} as const satisfies Record<Operation, 400 | 500>

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

/** The published messages are kept to the letter; only code 5 says what is wrong. */
export function refused(name: ReplyCode, detail?: string): Reply {
  const { code, message } = REPLY_CODES[name]
  return {
    status: 400,
    body: JSON.stringify({ code, message: detail === undefined ? message : `${message}: ${detail}` }),
    outcome: name,
  }
}

export function failed(operation: Operation): Reply {
  return { ...refused('system_error'), status: FAILED_STATUS[operation] }
}
