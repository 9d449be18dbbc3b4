/**
 * Replies of a wallet. A gateway also sends them if it has no answer of the
 * operator.
 */
import { type Static, Type } from 'typebox'
import { BetIdSchema, CurrencySchema } from './bet-request.ts'
import type { Operation } from './operation.ts'
import { REPLY_CODES, type ReplyCode } from './reply-codes.ts'

export interface WireReply {
  readonly status: number
  /** JSON text. */
  readonly body: string | Buffer
}

/** Published messages stay unchanged. Only code 5 adds a detail. */
export function createRefusal(name: ReplyCode, detail?: string) {
  const { code, message } = REPLY_CODES[name]
  const body = JSON.stringify({ code, message: detail === undefined ? message : `${message}: ${detail}` })
  return { status: 400 as const, body }
}

/**
 * Reply of a wallet that fails, when the call had no effect or its effect is unknown. A Place
 * bet gets code 100, so that the platform rolls back. Every other call gets 500, so that the
 * platform retries. No other reply is safe: a success or a final code could leave money behind.
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

/** Each rejection (400), and the 500 of a failing wallet. */
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
