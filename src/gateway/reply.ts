/** The gateway's own answers: as a wallet gives them, where there is no operator's to pass on. */
import { REPLY_CODES, type ReplyCode } from '../protocol/codes.ts'
import type { Operation } from '../protocol/operation.ts'

export interface Reply {
  readonly status: number
  readonly body: string | Buffer
}

/** The published messages are kept to the letter; only code 5 says what is wrong. */
export function refused(name: ReplyCode, detail?: string): Reply {
  const { code, message } = REPLY_CODES[name]
  return {
    status: 400,
    body: JSON.stringify({ code, message: detail === undefined ? message : `${message}: ${detail}` }),
  }
}

/**
 * what became of the call is not known, or nothing did. A Place bet is answered so that the platform rolls back,
 * every other call so that it tries again: never a yes, and never a code that would end it with money left behind.
 */
export function failed(operation: Operation): Reply {
  return { ...refused('system_error'), status: operation === 'place' ? 400 : 500 }
}
