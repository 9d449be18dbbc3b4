/**
 * Parser for the body of a call, shared by wallet and gateway. Every fault of the body is code 5
 * (R-6, R-8).
 */
import { isUtf8 } from 'node:buffer'
import { isObject, parseJsonObject, stripByteOrderMark } from './values/exact-json.ts'
import { LIMITS } from './wire-limits.ts'

/** A fault of the request. The reply with code 5 contains its message. */
export class MalformedCall extends Error {}

export interface CallBody {
  /** The received text. A byte order mark before it is part of the signed bytes (D-2). */
  readonly text: string
  readonly members: Record<string, unknown>
}

/** Throws MalformedCall. `parse` throws if the text is not JSON. */
export function parseCallBody(bytes: Buffer, parse: (text: string) => unknown): CallBody {
  if (!isUtf8(bytes)) throw new MalformedCall('the body is not UTF-8')
  const text = bytes.toString('utf8')
  const members = parseBodyText(stripByteOrderMark(text), parse)
  if (!isObject(members)) throw new MalformedCall('the body is not a JSON object')
  return { text, members }
}

function parseBodyText(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch {
    throw new MalformedCall('the body is not JSON')
  }
}

/** Other errors are thrown again. */
export function catchMalformed<T>(read: () => T): T | MalformedCall {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedCall) return error
    throw error
  }
}

/** The ids in a malformed call. The journal stores them, so that the call can be found (W-30). */
export interface CallIds {
  readonly userId: string | undefined
  readonly operatorUser: string | undefined
  readonly transactionId: string | undefined
  readonly requestId: string | undefined
}

export function extractCallIds(bytes: Buffer): CallIds {
  const { userId, operatorUser, transactionId, requestId } =
    parseJsonObject(stripByteOrderMark(bytes.toString('utf8'))) ?? {}
  return {
    userId: toIdText(userId),
    operatorUser: toIdText(operatorUser),
    transactionId: toIdText(transactionId),
    requestId: toIdText(requestId),
  }
}

/** A number is a fault of the call, but its digits are still the id. */
function toIdText(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return `${value}`
  return typeof value === 'string' ? value.slice(0, LIMITS.requestId.maxLength) : undefined
}
