/**
 * JSON of the wire. JSON.parse alone decides what is JSON and what a body means: at any depth, and the last value of a
 * name that stands twice. But it reads numbers as doubles: it would round a longer amount silently, and turn 1e-400
 * into 0. A number that its double does not hold is never handed on as another one (M-1, M-2, W-3).
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
 * Where such a number can stand: sixteen digits and points in a row, a three-digit exponent, or the -0 that no integer
 * has. All other numbers have at most 15 digits. False alarms (in texts) cost time, not truth.
 */
const MAYBE_ROUNDED = /[:,[]\s*(?:-0|-?(?:\d[\d.]{15}|[\d.]+[eE][+-]?\d{3}))/

/** Characters: 1e400. A shorter one is held and exact, but for -0. */
const SHORTEST_TO_ROUND = 5

/** The member of a message that moves money. */
const MONEY = new Set(['amount'])

const DESCRIBING: ReadonlySet<string> = new Set(DESCRIBING_MEMBERS)

/** The floats of the interface: they describe, and the nearest double is what a float means. */
const FLOATS = new Set(['coefficient', 'boosterCoefficient', 'percentMargin', 'avgBet'])

/** A number that no double holds, as it was written. The type tells it from every object that a caller can write. */
class WrittenNumber {
  readonly written: string
  constructor(written: string) {
    this.written = written
  }
}

/** A byte order mark before a text, which many writers put before every UTF-8 text, is no part of it (D-2). */
export function stripByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Parses a body; throws SyntaxError like JSON.parse. */
export function parseJson(text: string): unknown {
  const value = JSON.parse(text)
  if (!MAYBE_ROUNDED.test(text)) return value
  const marker = createMarker(text)
  return withWrittenNumbers(JSON.parse(withoutRounding(text, marker)), marker)
}

/** The only member of an object that stands for such a number while it is parsed. No text contains its own hash. */
const createMarker = (text: string) => hash('sha256', text)

/** They stand at the top only. */
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

/** The same names, with what `change` makes of each value. */
export function mapMembers(
  object: Record<string, unknown>,
  change: (name: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]))
}

/**
 * The object that a text is in JSON; undefined when it is none. For answers: what is wrong with a
 * call is said by `request-body.ts`.
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

/** True if JSON.parse would make another number of one in this text, which it must have taken. */
export function wouldRound(text: string): boolean {
  return MAYBE_ROUNDED.test(text) && findNumbersToRound(text).length > 0
}

/**
 * The same JSON without the numbers that would be rounded. A member of the message that decides becomes an object, which
 * no schema takes there. A number that only describes, as all do that lie deeper, keeps its digits as text (W-3).
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
  /** It is the value of a member of the message, and of none that only describes. */
  readonly decides: boolean
}

interface TextSpan {
  readonly start: number
  readonly end: number
}

/** Each character is looked at once: patterns with a name, a number or a bracket in them take five times as long. */
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

/** One level deeper, one level up, or neither. */
function getDepthStep(code: number): number {
  if (code === OPEN_OBJECT || code === OPEN_LIST) return 1
  return code === CLOSE_OBJECT || code === CLOSE_LIST ? -1 : 0
}

/** `name` as it stands in the text, in quotes. An amount of -0 is left to its operation: as a payout it is 0 (D-3). */
function isFaithful(number: string, name: string | undefined, depth: number): boolean {
  const isMoney = depth === 1 && includesName(MONEY, name)
  if (isMoney) return isExactNumber(number) && (isExactDouble(number) || isNegativeZero(number))
  return isExactDouble(number) || (includesName(FLOATS, name) && Number.isFinite(toDouble(number)))
}

/** The digits of an amount that `parseJson` did not hand on as a number; undefined for every other value. */
export function getWrittenNumber(value: unknown): string | undefined {
  return value instanceof WrittenNumber ? value.written : undefined
}

function includesName(names: ReadonlySet<string>, written: string | undefined): boolean {
  return written !== undefined && names.has(JSON.parse(written))
}

/** Nested deeper than this describes nothing, and would exhaust the stack of whoever renders or compares it. */
export const MAX_DEPTH = 32

/** True if objects and arrays are nested too deeply to be kept. */
export function isTooDeep(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, depth - 1))
  for (const name in value) if (isTooDeep((value as Record<string, unknown>)[name], depth - 1)) return true
  return false
}
