/** The body of a call, from bytes to a JSON object; what is wrong with it is code 5, in the same words from wallet and gateway. */
import { isUtf8 } from 'node:buffer'
import { isObject } from './json.ts'

/** A fault of the request: its sentence goes into the reply (code 5). */
export class Malformed extends Error {}

export interface Body {
  readonly text: string
  readonly members: Record<string, unknown>
}

/** Throws Malformed. `parse` throws what is no JSON. */
export function readBody(bytes: Buffer, parse: (text: string) => unknown): Body {
  if (!isUtf8(bytes)) throw new Malformed('the body is not UTF-8')
  const text = bytes.toString('utf8')
  const members = parsed(text, parse)
  if (!isObject(members)) throw new Malformed('the body is not a JSON object')
  return { text, members }
}

function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch {
    throw new Malformed('the body is not JSON')
  }
}

/** What `read` comes to, or the fault that it throws. */
export function orMalformed<T>(read: () => T): T | Malformed {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) return error
    throw error
  }
}
