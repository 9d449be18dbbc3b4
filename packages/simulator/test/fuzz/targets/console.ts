/**
 * Fuzzes input from the console and its page addresses: cursors of lists, times of filters, saved
 * bets.
 *
 * Input of any other form must be rejected, by a 400 or as undefined.
 */
import { decodeCursor, decodeCursorParts, encodeCursor, toTime } from 'purser/core/http/api/pagination'
import { Problem } from 'purser/core/http/api/problem-details'
import { parseRecordedHistory } from '../../../src/one-bet/one-bet-actions.ts'
import type { Chance } from '../chance.ts'
import { type Parts, textParts } from '../corpus.ts'
import { mutateBytes } from '../mutate.ts'
import { firstOf, shown, type Target, textOf } from '../target.ts'

export const CODE = { decodeCursor, decodeParts: decodeCursorParts, readRecorded: parseRecordedHistory, toTime }

const SAVED = '<pre id="replay">place = 200; settle 25 = 400/20 # locked\n(lock)\nsettle 0</pre>'
const SEEDS = ['2026-11-26T10:00:00Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999+00:00'].map((time) =>
  textParts({ cursor: JSON.stringify([time, 'bet-1', '7']), time, saved: SAVED }),
)

export function consoleTarget(code: typeof CODE = CODE): Target {
  return { name: 'console', seeds: SEEDS, mutate, grows: ['cursor', 'saved'], judge: (parts) => judge(parts, code) }
}

const ODD = ['\\u0000', '\\ud800', '", "', '1e999', 'null', '[]', '\\n', 'ü']
const NUMBERS = [0, 1, 2, 4, 12, 13, 23, 24, 28, 29, 30, 31, 32, 59, 60, 100, 400, 1900, 2000, 2024, 9999]

function mutate(chance: Chance, parts: Parts): Parts {
  const changed = (name: string) => mutateBytes(chance, parts[name] ?? Buffer.alloc(0))
  const number = (digits: number) => `${chance.pick(NUMBERS)}`.padStart(digits, '0').slice(-digits)
  const offset = chance.pick(['Z', 'z', `+${number(2)}:${number(2)}`, `-${number(2)}:${number(2)}`])
  const time = `${number(4)}-${number(2)}-${number(2)}T${number(2)}:${number(2)}:${number(2)}${chance.pick(['', '.5', '.123', '.9999999'])}${offset}`
  const id = `bet-${chance.pick(ODD)}`
  return {
    cursor: chance.oneIn(2) ? changed('cursor') : Buffer.from(`["${chance.oneIn(2) ? time : id}","${id}","1"]`),
    time: chance.oneIn(4) ? changed('time') : Buffer.from(time),
    saved: changed('saved'),
  }
}

function judge(parts: Parts, code: typeof CODE): string | undefined {
  return firstOf([ofCursor(textOf(parts, 'cursor'), code), ofTime(textOf(parts, 'time'), code), ofSaved(parts, code)])
}

/** Undefined for a 400. Any other error is a finding, so it is not caught. */
function asked<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return undefined
    throw error
  }
}

/** Characters that Postgres cannot store in a text. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** `text`: the decoded cursor, which a user may have written by hand. */
function ofCursor(text: string, code: typeof CODE): string | undefined {
  const cursor = Buffer.from(text).toString('base64url')
  const found = asked(() => code.decodeParts(cursor, 3))
  const timed = asked(() => code.decodeCursor(cursor, 3))
  const isOdd = found !== undefined && (found.length !== 3 || found.some((part) => UNSTORABLE.test(part)))
  return firstOf([
    isOdd && `a cursor is taken that is none: ${shown(found)}`,
    found !== undefined &&
      shown(code.decodeParts(encodeCursor(found), 3)) !== shown(found) &&
      `a cursor is not what was written: ${shown(found)}`,
    timed !== undefined && !isBetween(timed.at.getTime()) && `a cursor has an impossible time: ${shown(timed)}`,
    timed !== undefined && found === undefined && `a cursor is taken that is none: ${shown(timed)}`,
  ])
}

const isBetween = (ms: number) => ms >= -62_135_596_800_000 && ms < 253_402_300_800_000
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** A time by RFC 3339 gives its exact instant, or undefined if it cannot be stored. */
function ofTime(text: string, code: typeof CODE): string | undefined {
  const must = instantOf(text)
  const found = asked(() => code.toTime(text, '/query/from'))?.getTime()
  return firstOf([
    found !== undefined && !isBetween(found) && `an impossible time is taken: ${text}`,
    must !== undefined && found !== must && `a time is another one: ${text} is ${must}, not ${found}`,
  ])
}

/** Computed from the calendar: days since 1970, with years that begin in March. */
function instantOf(text: string): number | undefined {
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction = '', offset = ''] =
    RFC_3339.exec(text) ?? []
  const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map(Number) as [number, ...number[]]
  if (text === '' || year === '' || m === undefined || d === undefined || h === undefined) return undefined
  if (m < 1 || m > 12 || d < 1 || d > daysIn(y, m) || h > 23 || (min ?? 60) > 59 || (s ?? 60) > 59) return undefined
  const [offsetHour, offsetMinute] = offset === 'Z' ? [0, 0] : [Number(offset.slice(1, 3)), Number(offset.slice(4))]
  if (offsetHour > 23 || offsetMinute > 59) return undefined
  const shifted = m > 2 ? y : y - 1
  const dayOfYear = Math.floor((153 * ((m + 9) % 12) + 2) / 5) + d - 1
  const days =
    365 * shifted +
    Math.floor(shifted / 4) -
    Math.floor(shifted / 100) +
    Math.floor(shifted / 400) +
    dayOfYear -
    719_468
  const sign = offset.startsWith('-') ? -1 : 1
  const minutes = days * 1_440 + h * 60 + (min ?? 0) - sign * (offsetHour * 60 + offsetMinute)
  const ms = (minutes * 60 + (s ?? 0)) * 1_000 + Number(`${fraction.slice(1, 4)}000`.slice(0, 3))
  return isBetween(ms) ? ms : undefined
}

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** A saved history is read completely or not at all. */
function ofSaved(parts: Parts, code: typeof CODE): string | undefined {
  const text = textOf(parts, 'saved')
  const found = code.readRecorded(text)
  if (found === undefined) return undefined
  const lines = /<pre id="replay">([^<]*)<\/pre>/.exec(text)?.[1] ?? text
  const pieces = lines.split(/[;\n]/).filter((piece) => (piece.split('#')[0] ?? '').trim() !== '')
  return pieces.length === found.length
    ? undefined
    : `steps of a saved bet are missing: ${found.length} of ${pieces.length}`
}
