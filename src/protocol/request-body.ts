/** The body of a call, from bytes to a JSON object; what is wrong with it is code 5, in the same words from wallet and gateway. */
import { isUtf8 } from 'node:buffer'
import { isObject, parseJsonObject, stripByteOrderMark } from './values/exact-json.ts'
import { LIMITS } from './wire-limits.ts'

/** A fault of the request: its sentence goes into the reply (code 5). */
export class MalformedCall extends Error {}

export interface CallBody {
  /** As it came; a byte order mark before it belongs to the signed bytes (D-2). */
  readonly text: string
  readonly members: Record<string, unknown>
}

/** Throws Malformed. `parse` throws what is no JSON. */
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

/** What `read` comes to, or the fault that it throws. */
export function catchMalformed<T>(read: () => T): T | MalformedCall {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedCall) return error
    throw error
  }
}

/** What a body that is no call says it is about: in the journal it is looked for by that as any other (W-30). */
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

/** An id that stands there as a number is what is wrong with the call; its digits are the id all the same. */
function toIdText(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return `${value}`
  return typeof value === 'string' ? value.slice(0, LIMITS.requestId.maxLength) : undefined
}
