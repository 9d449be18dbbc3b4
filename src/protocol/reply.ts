/** The bodies a wallet answers with. */
import { type Static, Type } from 'typebox'
import { BetIdSchema, CurrencySchema } from './bet-request.ts'

export const TimeSchema = Type.String({
  format: 'date-time',
  description: 'When the acknowledged operation took effect: ISO 8601, UTC, Z; a repeat gets the original time (R-2).',
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
