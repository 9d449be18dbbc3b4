/**
 * Parser of a call. The gateway reads only the operation, the player and the token; the operator
 * judges everything else. A fault in these members is code 5 (R-6, P-5).
 */

import { describeMemberFault, describeTypeFault } from '@purser/protocol/call-fault'
import { isBetCall, type Operation, parseBetOperation, TYPE_NOT_ALLOWED } from '@purser/protocol/operation'
import { MalformedCall, parseCallBody } from '@purser/protocol/request-body'
import { stripByteOrderMark } from '@purser/protocol/values/exact-json'
import { LIMITS, OPERATOR_USER_PATTERN } from '@purser/protocol/wire-limits'
import type { Endpoint } from '../../core/partner-wire/partner-wire.ts'
import { type ObjectSpan, scanObject } from './json-edits.ts'

export interface GatewayCall {
  readonly operation: Operation
  readonly text: string
  readonly object: ObjectSpan
  readonly body: Readonly<Record<string, unknown>>
  /** Undefined if the token is absent or cannot be valid. */
  readonly token: string | undefined
  /** The gateway's own id of the player; undefined for User data. */
  readonly userId: string | undefined
}

/** Throws `MalformedCall`. */
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

/**
 * If one of these members occurs twice, the operator might read the other value than the gateway
 * (G-8).
 */
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

/** The wire restricts these ids to plain characters (P-5). */
export function isOperatorUser(text: string): boolean {
  return OPERATOR_USER.test(text)
}

function isToken(token: unknown): token is string {
  const { minLength, maxLength } = LIMITS.token
  return typeof token === 'string' && token.length >= minLength && token.length <= maxLength
}
