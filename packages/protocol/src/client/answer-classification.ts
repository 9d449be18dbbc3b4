/**
 * Classification of a wallet's answer for the calling side (C-2, C-4, C-5).
 *
 * - accepted: the wallet has applied the call.
 * - refused: the wallet has rejected the call with a code.
 * - unknown: the wallet may or may not have applied the call.
 */

import { isUtf8 } from 'node:buffer'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { BetIdSchema } from '../bet-request.ts'
import { isBetOperation, type Operation } from '../operation.ts'
import { REPLY_CODES } from '../reply-codes.ts'
import { BalanceReplySchema, UserProfileSchema } from '../user-profile.ts'
import { parseJsonObject } from '../values/exact-json.ts'
import { CheckReplySchema, ErrorReplySchema } from '../wire-reply.ts'

/** `time_out` becomes rollback reason 10, and every other reason becomes 52 (C-2). */
export const UNKNOWN_REASONS = ['time_out', 'network', 'status', 'unreadable_body', 'contradictory_body'] as const
export type UnknownReason = (typeof UNKNOWN_REASONS)[number]

export type CallOutcome =
  | { readonly kind: 'accepted'; readonly reply: object }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason; readonly detail: string }

/**
 * An ISO 8601 date and time, by default in UTC (W-13). The time decides nothing, so an unusual
 * spelling must not cause the Rollback of an accepted bet.
 */
const ISO_TIME =
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.,]\\d{1,12})?)?(Z|[+-]\\d{2}(:?\\d{2})?)?$'

const betReply = Compile(
  Type.Object({ transactionId: BetIdSchema, transactionTime: Type.String({ pattern: ISO_TIME }) }),
)
const REPLIES = {
  place: betReply,
  settle: betReply,
  unsettle: betReply,
  rollback: betReply,
  profile: Compile(UserProfileSchema),
  balance: Compile(BalanceReplySchema),
  check: Compile(CheckReplySchema),
}
const errorReply = Compile(ErrorReplySchema)

/** `body` has no byte order mark. */
export function classifyAnswer(
  operation: Operation,
  { status, body }: { readonly status: number; readonly body: Buffer },
  transactionId?: string,
): CallOutcome {
  if (status === 200 && namesPlayer(operation) && !isUtf8(body))
    return toUnknownOutcome('unreadable_body', 'HTTP status 200 with a body that is not UTF-8')
  return classifyText(operation, status, body.toString('utf8'), transactionId)
}

/** `transactionId`: the id in the call, if the call concerns a bet. */
export function classifyText(operation: Operation, status: number, body: string, transactionId?: string): CallOutcome {
  if (status !== 200 && status !== 400) return toUnknownOutcome('status', `HTTP status ${status}`)
  const reply = parseJsonObject(body)
  if (reply === undefined)
    return toUnknownOutcome('unreadable_body', `HTTP status ${status} with a body that is not a JSON object`)
  return status === 200 ? classifySuccess(operation, reply, transactionId) : classifyRefusal(reply)
}

function classifySuccess(operation: Operation, reply: object, transactionId?: string): CallOutcome {
  if (!REPLIES[operation].Check(reply))
    return toUnknownOutcome('contradictory_body', 'HTTP status 200 with a body of another form')
  if (transactionId !== undefined && 'transactionId' in reply && reply.transactionId !== transactionId) {
    return toUnknownOutcome('contradictory_body', 'HTTP status 200 about another transactionId')
  }
  if (isBetOperation(operation) && hasRefusalCode(reply) && !isRolledBack(operation, reply))
    return toUnknownOutcome('contradictory_body', 'HTTP status 200 with the code of a refusal')
  return { kind: 'accepted', reply }
}

/** Some wallets put these codes into a successful answer. */
const SUCCESS_CODES: readonly unknown[] = [undefined, null, 0, '0']

/** A 200 with a rejection code contradicts itself (D-5). */
export function hasRefusalCode(reply: object): boolean {
  return 'code' in reply && !SUCCESS_CODES.includes(reply.code)
}

/** Code 8 ends a Rollback as done, with status 200 as with 400 (C-4). */
function isRolledBack(operation: Operation, reply: object): boolean {
  return operation === 'rollback' && 'code' in reply && reply.code === REPLY_CODES.already_processed.code
}

/**
 * True if the answer contains a player id. Bytes that are not UTF-8 become replacement characters,
 * which could make two player ids equal (C-11).
 */
export function namesPlayer(operation: Operation): boolean {
  return operation === 'profile' || operation === 'balance'
}

/**
 * A 400 without an integer code leaves the outcome unknown. Code 100 is a refusal here, but the
 * caller of a Place bet treats code 100 as unknown (C-2).
 */
function classifyRefusal(reply: object): CallOutcome {
  if (!('code' in reply) || typeof reply.code !== 'number' || !Number.isInteger(reply.code)) {
    return toUnknownOutcome('contradictory_body', 'HTTP status 400 without an integer code')
  }
  return { kind: 'refused', code: reply.code, message: errorReply.Check(reply) ? reply.message : '' }
}

function toUnknownOutcome(reason: UnknownReason, detail: string): CallOutcome {
  return { kind: 'unknown', reason, detail }
}
