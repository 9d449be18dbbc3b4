/**
 * JSON of the wire. JSON.parse alone decides what is JSON and what a body means: at any depth, and the last value of a
 * name that stands twice. But it reads numbers as doubles: it would round a longer amount silently, and turn 1e-400
 * into 0. A number that its double does not hold is never handed on as another one (M-1, M-2, W-3).
 */
import { isExactNumber, isHeldByDouble } from './money.ts'

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }

/**
 * Where such a number can stand: sixteen digits and points in a row, a three-digit exponent, or the -0 that no integer
 * has. All other numbers have at most 15 digits. False alarms (in texts) cost time, not truth.
 */
const SUSPECT = /[:,[]\s*(?:-0|-?(?:\d[\d.]{15}|[\d.]+[eE][+-]?\d{3}))/

const MONEY = new Set(['amount', 'bonusAmount'])

/** The floats of the interface: they describe, and the nearest double is what a float means. */
const FLOATS = new Set(['coefficient', 'boosterCoefficient', 'percentMargin', 'avgBet'])

/** Parses a body; throws SyntaxError like JSON.parse. */
export function parseJson(text: string): unknown {
  const value = JSON.parse(text)
  return SUSPECT.test(text) ? JSON.parse(withoutRounding(text)) : value
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object that a text is in JSON; undefined when it is none. For answers: what is wrong with a call is said by `body.ts`. */
export function objectIn(
  text: string,
  parse: (text: string) => unknown = JSON.parse,
): Record<string, unknown> | undefined {
  try {
    const value = parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** True if JSON.parse would make another number of one in this text, which it must have taken. */
export function wouldRound(text: string): boolean {
  if (!SUSPECT.test(text)) return false
  let depth = 0
  for (const [token, name, number] of text.matchAll(TOKEN)) {
    depth += stepOf(token)
    if (number !== undefined && !isFaithful(name, number, depth)) return true
  }
  return false
}

const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`
/** A number, with its name where it has one; or else a string or a bracket. */
const TOKEN = new RegExp(String.raw`(?:(${STRING})\s*:\s*)?(-?\d[\d.eE+-]*)|${STRING}|[[\]{}]`, 'g')

/**
 * The same JSON without the numbers that would be rounded. A member of the message becomes an object, which no schema
 * takes there; what lies deeper only describes, may be extended, and keeps its digits as text.
 */
function withoutRounding(text: string): string {
  let depth = 0
  return text.replace(TOKEN, (token: string, name?: string, number?: string) => {
    depth += stepOf(token)
    if (number === undefined || isFaithful(name, number, depth)) return token
    return token.slice(0, -number.length) + (depth === 1 ? `{"written":"${number}"}` : `"${number}"`)
  })
}

/** One level deeper, one level up, or neither. */
function stepOf(token: string): number {
  if (token === '{' || token === '[') return 1
  return token === '}' || token === ']' ? -1 : 0
}

/** `written` is the name as it stands in the text, in quotes. */
function isFaithful(written: string | undefined, number: string, depth: number): boolean {
  const name = written === undefined ? '' : JSON.parse(written)
  if (FLOATS.has(name)) return true
  const isMoney = depth === 1 && MONEY.has(name)
  return isHeldByDouble(number) && (!isMoney || isExactNumber(number))
}

const STRING_OR_NAME = new RegExp(String.raw`${STRING}\s*:?`, 'g')

/** True if no name stands twice in an object of this text, which JSON.parse must have taken. */
export function namesAreUnique(text: string): boolean {
  const written = (text.match(STRING_OR_NAME) ?? []).filter((token) => token.endsWith(':')).length
  let kept = -1 // the whole is visited too
  JSON.parse(text, function count(this: unknown, _name, value) {
    if (!Array.isArray(this)) kept++
    return value
  })
  return written === kept
}

/** Nested deeper than this describes nothing, and would exhaust the stack of whoever renders or compares it. */
export const MAX_DEPTH = 32

/** True if objects and arrays are nested too deeply to be kept. */
export function isTooDeep(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isTooDeep(member, depth - 1))
}
