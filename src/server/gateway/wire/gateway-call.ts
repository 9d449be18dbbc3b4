/**
 * What the gateway reads of a call: which operation it is, and whose. All else is the operator's to judge, and bytes to
 * the gateway. What is wrong with those few members is code 5 (R-6, P-5).
 */

import { describeMemberFault, describeTypeFault } from '../../../protocol/call-fault.ts'
import { isBetCall, type Operation, parseBetOperation, TYPE_NOT_ALLOWED } from '../../../protocol/operation.ts'
import { MalformedCall, parseCallBody } from '../../../protocol/request-body.ts'
import { stripByteOrderMark } from '../../../protocol/values/exact-json.ts'
import { LIMITS, OPERATOR_USER_PATTERN } from '../../../protocol/wire-limits.ts'
import type { Endpoint } from '../../core/partner-wire/partner-wire.ts'
import { type ObjectSpan, scanObject } from './json-edits.ts'

export interface GatewayCall {
  readonly operation: Operation
  readonly text: string
  readonly object: ObjectSpan
  readonly body: Readonly<Record<string, unknown>>
  /** Absent when the call has none, or something that cannot be one. */
  readonly token: string | undefined
  /** The gateway's own id of the player. User data names none. */
  readonly userId: string | undefined
}

/** Throws Malformed. */
export function parseGatewayCall(endpoint: Endpoint, method: string, bytes: Buffer): GatewayCall {
  const { text, members: body } = parseCallBody(bytes, JSON.parse)
  const operation = endpoint === 'bet' ? parseBetOperation(method, body.type) : endpoint
  if (operation === undefined) throw new MalformedCall(describeTypeFault(method, body))
  if (endpoint !== 'bet' && isBetCall(body)) throw new MalformedCall(TYPE_NOT_ALLOWED)
  const object = scanObject(text, text.length - stripByteOrderMark(text).length)
  requireUnambiguous(object, body)
  const { token, userId } = body
  if (operation !== 'profile' && typeof userId !== 'string')
    throw new MalformedCall(describeMemberFault('userId', body))
  return {
    operation,
    text,
    object,
    body,
    token: isToken(token) ? token : undefined,
    userId: operation === 'profile' ? undefined : (userId as string),
  }
}

/** Of a name that stands twice the operator might read the other value than the one that the gateway went by. */
const READ_MEMBERS = new Set(['type', 'token', 'userId', 'operatorUser', 'transactionId'])
const OPERATOR_USER = new RegExp(OPERATOR_USER_PATTERN)

function requireUnambiguous({ members }: ObjectSpan, body: Record<string, unknown>): void {
  const { operatorUser } = body
  const read = members.filter(({ name }) => READ_MEMBERS.has(name))
  const repeated = read.find(({ name }, at) => read.findIndex((member) => member.name === name) < at)
  if (repeated !== undefined) throw new MalformedCall(`${repeated.name} occurs twice in the body; it must occur once`)
  const isAbsent = operatorUser === undefined
  if (!isAbsent && !(typeof operatorUser === 'string' && isOperatorUser(operatorUser)))
    throw new MalformedCall(describeMemberFault('operatorUser', body))
}

/** P-5. */
export function isOperatorUser(text: string): boolean {
  return OPERATOR_USER.test(text)
}

function isToken(token: unknown): token is string {
  const { minLength, maxLength } = LIMITS.token
  return typeof token === 'string' && token.length >= minLength && token.length <= maxLength
}
