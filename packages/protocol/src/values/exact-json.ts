/**
 * JSON parser of the wire that never changes a number silently (M-1, M-2, W-3).
 *
 * JSON.parse decides whether a text is JSON and which value a repeated name has. But it reads
 * numbers as doubles, rounds a longer amount, and turns 1e-400 into 0. A number that no double
 * represents is returned as its written text.
 */
import { hash } from 'node:crypto'
import { DESCRIBING_MEMBERS } from '../bet-description.ts'
import {
  beginsNumber,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  endOfScalar,
  endOfString,
  isSpace,
  MINUS,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-scanner.ts'
import { isExactDouble, isExactNumber, isNegativeZero, toDouble } from './money.ts'

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }

/**
 * Finds texts that may contain a number that no double represents: 16 digits and points in a row,
 * an exponent of three digits, or -0. All other numbers have at most 15 digits. A false match only
 * costs time.
 */
const MAYBE_ROUNDED = /[:,[]\s*(?:-0|-?(?:\d[\d.]{15}|[\d.]+[eE][+-]?\d{3}))/

/** Characters of 1e400. A shorter number is exact, except -0. */
const SHORTEST_TO_ROUND = 5

/** The member of a message that moves money. */
const MONEY = new Set(['amount'])

const DESCRIBING: ReadonlySet<string> = new Set(DESCRIBING_MEMBERS)

/** Floats of the interface only describe the bet. Their meaning is the nearest double. */
const FLOATS = new Set(['coefficient', 'boosterCoefficient', 'percentMargin', 'avgBet'])

/**
 * The written text of a number that no double represents. A caller's JSON cannot create this class.
 */
class WrittenNumber {
  readonly written: string
  constructor(written: string) {
    this.written = written
  }
}

/**
 * Many programs write a byte order mark before each UTF-8 text. It is not part of the JSON (D-2).
 */
export function stripByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Throws SyntaxError like JSON.parse. */
export function parseJson(text: string): unknown {
  const value = JSON.parse(text)
  if (!MAYBE_ROUNDED.test(text)) return value
  const marker = createMarker(text)
  return withWrittenNumbers(JSON.parse(withoutRounding(text, marker)), marker)
}

/**
 * Name of the only member of an object that replaces a written number during the parsing. No text
 * contains its own hash.
 */
const createMarker = (text: string) => hash('sha256', text)

/** Marker objects exist only at the top level. */
function withWrittenNumbers(value: unknown, marker: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const [name, member] of Object.entries(value))
    if (isObject(member) && typeof member[marker] === 'string')
      (value as Record<string, unknown>)[name] = new WrittenNumber(member[marker])
  return value
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function mapMembers(
  object: Record<string, unknown>,
  change: (name: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]))
}

/**
 * Undefined if the text is not a JSON object. Only for answers; `request-body.ts` describes the
 * faults of calls.
 */
export function parseJsonObject(
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

/** True if JSON.parse would change a number of this text. The text must be valid JSON. */
export function wouldRound(text: string): boolean {
  return MAYBE_ROUNDED.test(text) && findNumbersToRound(text).length > 0
}

/**
 * The same JSON without numbers that would be rounded. In a deciding member the number becomes an
 * object, which the schema rejects. A describing or nested number becomes the text of its digits
 * (W-3).
 */
function withoutRounding(text: string, marker: string): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, decides } of findNumbersToRound(text)) {
    const number = text.slice(start, end)
    parts.push(text.slice(at, start), decides ? `{"${marker}":"${number}"}` : `"${number}"`)
    at = end
  }
  return parts.join('') + text.slice(at)
}

interface NumberSpan extends TextSpan {
  /** True for the value of a top-level member that moves money or identifies something. */
  readonly decides: boolean
}

interface TextSpan {
  readonly start: number
  readonly end: number
}

/** Reads each character once, because regular expressions take five times as long. */
function findNumbersToRound(text: string): NumberSpan[] {
  const found: NumberSpan[] = []
  let depth = 0
  let name: TextSpan | undefined
  let string: TextSpan | undefined
  for (let at = 0; at < text.length; ) {
    const start = at
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      string = { start, end: at }
      continue
    }
    if (beginsNumber(code)) {
      at = endOfScalar(text, at)
      const isShort = at - start < SHORTEST_TO_ROUND && code !== MINUS
      if (isShort) continue
      const written = name && text.slice(name.start, name.end)
      if (!isFaithful(text.slice(start, at), written, depth))
        found.push({ start, end: at, decides: depth === 1 && !includesName(DESCRIBING, written) })
      continue
    }
    at++
    depth += getDepthStep(code)
    if (code === COLON) name = string
    else if (!isSpace(code)) name = undefined
  }
  return found
}

function getDepthStep(code: number): number {
  if (code === OPEN_OBJECT || code === OPEN_LIST) return 1
  return code === CLOSE_OBJECT || code === CLOSE_LIST ? -1 : 0
}

/**
 * `name` includes its quotation marks. An amount of -0 is left to its operation, because a payout
 * of -0 is 0 (D-3).
 */
function isFaithful(number: string, name: string | undefined, depth: number): boolean {
  const isMoney = depth === 1 && includesName(MONEY, name)
  if (isMoney) return isExactNumber(number) && (isExactDouble(number) || isNegativeZero(number))
  return isExactDouble(number) || (includesName(FLOATS, name) && Number.isFinite(toDouble(number)))
}

/**
 * The digits of a number that `parseJson` could not return as a number; undefined for other values.
 */
export function getWrittenNumber(value: unknown): string | undefined {
  return value instanceof WrittenNumber ? value.written : undefined
}

function includesName(names: ReadonlySet<string>, written: string | undefined): boolean {
  return written !== undefined && names.has(JSON.parse(written))
}

/**
 * Levels. A deeper value describes nothing, and would exhaust the stack of code that renders or
 * compares it.
 */
export const MAX_DEPTH = 32

/** True if the value is nested too deeply to be stored. */
export function isTooDeep(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, depth - 1))
  for (const name in value) if (isTooDeep((value as Record<string, unknown>)[name], depth - 1)) return true
  return false
}
