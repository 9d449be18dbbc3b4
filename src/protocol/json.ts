/**
 * JSON of the wire. A double holds 15 significant digits exactly; JSON.parse would round a longer amount silently, and
 * turn 1e-400 into 0. Money must not be rounded (M-1, M-2), so a body that holds such a number is read once more with
 * the digits kept.
 */
import { parse as parseLossless } from 'lossless-json'
import { isExactNumber, toDouble } from './money.ts'

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }

/**
 * Where a number can stand: sixteen digits and points in a row, or a three-digit exponent. All other numbers have at
 * most 15 digits. False alarms (in texts) cost time, not truth.
 */
const SUSPECT = /[:,[]\s*-?(?:\d[\d.]{15}|[\d.]+[eE][+-]?\d{3})/

const MONEY_MEMBERS = new Set(['amount', 'bonusAmount'])

/** A money member with too many digits: not a number any more, so that every schema refuses it. */
class Inexact {
  readonly written: string
  constructor(written: string) {
    this.written = written
  }
}

/** Parses a body; throws SyntaxError like JSON.parse. Inexact money members come out as objects, which no schema takes. */
export function parseJson(text: string): unknown {
  if (!SUSPECT.test(text)) return JSON.parse(text)
  JSON.parse(text) // the standard grammar decides what is JSON; lossless-json is a little more lenient
  return parseLossless(text, reviveNumbers, (written) => new Inexact(written))
}

function reviveNumbers(member: string, value: unknown): unknown {
  if (!(value instanceof Inexact)) return value
  return MONEY_MEMBERS.has(member) && !isExactNumber(value.written) ? value : toDouble(value.written)
}

/** Nested deeper than this describes nothing, and would exhaust the stack of whoever renders or compares it. */
export const MAX_DEPTH = 32

/** True if objects and arrays are nested too deeply to be kept. */
export function isTooDeep(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isTooDeep(member, depth - 1))
}
