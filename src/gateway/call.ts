/**
 * What the gateway reads of a call: which operation it is, and whose. All else is the operator's to judge, and bytes to
 * the gateway. What is wrong with those few members is code 5 (R-6, P-5).
 */
import type { Endpoint } from '../http/wire.ts'
import { Malformed, readBody } from '../protocol/body.ts'
import { faultOf, faultOfType } from '../protocol/fault.ts'
import { withoutMark } from '../protocol/json.ts'
import { LIMITS, OPERATOR_USER_PATTERN } from '../protocol/limits.ts'
import { betOperationOf, isBetCall, type Operation, TYPE_OF_BET_CALL } from '../protocol/operation.ts'
import { type ObjectText, objectAt } from './json-text.ts'

export interface Call {
  readonly operation: Operation
  readonly text: string
  readonly object: ObjectText
  readonly body: Readonly<Record<string, unknown>>
  /** Absent when the call has none, or something that cannot be one. */
  readonly token: string | undefined
  /** The gateway's own id of the player. User data names none. */
  readonly userId: string | undefined
}

/** Throws Malformed. */
export function readCall(endpoint: Endpoint, method: string, bytes: Buffer): Call {
  const { text, members: body } = readBody(bytes, JSON.parse)
  const operation = endpoint === 'bet' ? betOperationOf(method, body.type) : endpoint
  if (operation === undefined) throw new Malformed(faultOfType(method, body))
  if (endpoint !== 'bet' && isBetCall(body)) throw new Malformed(TYPE_OF_BET_CALL)
  const object = objectAt(text, text.length - withoutMark(text).length)
  requireClear(object, body)
  const { token, userId } = body
  if (operation !== 'profile' && typeof userId !== 'string') throw new Malformed(faultOf('userId', body))
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

function requireClear({ members }: ObjectText, body: Record<string, unknown>): void {
  const { operatorUser } = body
  const read = members.filter(({ name }) => READ_MEMBERS.has(name))
  const twice = read.find(({ name }, at) => read.findIndex((member) => member.name === name) < at)
  if (twice !== undefined) throw new Malformed(`${twice.name} stands twice in the body; it must stand once`)
  const isAbsent = operatorUser === undefined
  if (!isAbsent && !(typeof operatorUser === 'string' && isOperatorUser(operatorUser)))
    throw new Malformed(faultOf('operatorUser', body))
}

/** P-5. */
export function isOperatorUser(text: string): boolean {
  return OPERATOR_USER.test(text)
}

function isToken(token: unknown): token is string {
  const { minLength, maxLength } = LIMITS.token
  return typeof token === 'string' && token.length >= minLength && token.length <= maxLength
}
