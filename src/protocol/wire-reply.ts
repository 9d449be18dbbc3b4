/** What a wallet answers with, and a gateway where there is no operator's answer to pass on. */
import { type Static, Type } from 'typebox'
import { BetIdSchema, CurrencySchema } from './bet-request.ts'
import type { Operation } from './operation.ts'
import { REPLY_CODES, type ReplyCode } from './reply-codes.ts'

export interface WireReply {
  readonly status: number
  /** JSON text. */
  readonly body: string | Buffer
}

/** The published messages are kept to the letter; only code 5 says what is wrong. */
export function createRefusal(name: ReplyCode, detail?: string) {
  const { code, message } = REPLY_CODES[name]
  const body = JSON.stringify({ code, message: detail === undefined ? message : `${message}: ${detail}` })
  return { status: 400 as const, body }
}

/**
 * what became of the call is not known, or nothing did. A Place bet is answered so that the platform rolls back,
 * every other call so that it tries again: never a yes, and never a code that would end it with money left behind.
 */
export function createFailure(operation: Operation) {
  return { ...createRefusal('system_error'), status: operation === 'place' ? (400 as const) : (500 as const) }
}

export const TimeSchema = Type.String({
  format: 'date-time',
  description:
    'The time at which the acknowledged operation took effect: ISO 8601 in UTC, with Z. A repeat returns the original time (R-2).',
})

/** 200 of the four bet operations. */
export const BetReplySchema = Type.Object({ transactionId: BetIdSchema, transactionTime: TimeSchema })

/** Every refusal (400), and a failing wallet's 500. */
export const ErrorReplySchema = Type.Object({ code: Type.Integer(), message: Type.String() })

/** 200 of /payment/check: the last applied operation (P-4). */
export const CheckReplySchema = Type.Object({
  transactionId: BetIdSchema,
  currency: CurrencySchema,
  amount: Type.Number(),
  type: Type.Integer({ minimum: 1, maximum: 3 }),
  transactionTime: TimeSchema,
})

export type BetReply = Static<typeof BetReplySchema>
export type ErrorReply = Static<typeof ErrorReplySchema>
