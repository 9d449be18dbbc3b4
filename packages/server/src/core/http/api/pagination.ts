/**
 * Pagination of lists: `?limit&after=<opaque cursor>` → `{data, next}`, newest first. A cursor has
 * the time and the ids of the last row.
 */

import { isStorable } from '@purser/protocol/wire-ids'
import { type TSchema, Type } from 'typebox'
import { invalid } from './problem-details.ts'
import { integerParameter } from './query-parameters.ts'

const DEFAULT_LIMIT = 50
export const MAX_LIMIT = 500
/** Characters; the longest cursor names 200 accounts of a player. */
const MAX_CURSOR = 8_000

export const pageQuery = {
  limit: integerParameter({
    ...{ pattern: '^([1-9]\\d?|[1-4]\\d\\d|500)$', minimum: 1, maximum: MAX_LIMIT },
    description: `The maximum number of rows, up to ${MAX_LIMIT}. The default is ${DEFAULT_LIMIT}.`,
  }),
  after: Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_CURSOR, description: 'The `next` of the previous page.' }),
  ),
}

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))
/** A misspelt filter would return everything, so an unknown member is rejected. */
export const noUnknownMembers = { additionalProperties: false } as const

export const timeRangeQuery = {
  from: time('The first time of the range, RFC 3339.'),
  to: time('The end of the range, which is not included, RFC 3339.'),
}

export function toPageSchema<S extends TSchema>(row: S) {
  return Type.Object({ data: Type.Array(row), next: Type.Union([Type.String(), Type.Null()]) })
}

const EARLIEST = new Date('0001-01-01T00:00:00Z')
const LATEST = new Date('9999-12-31T23:59:59.999Z')

/**
 * 400 for times that RFC 3339 allows, but Date or Postgres does not: leap seconds, the year 0, an
 * offset into the year 10000.
 */
export function toTime(text: string, pointer: string): Date {
  const time = new Date(text)
  if (time >= EARLIEST && time <= LATEST) return time
  throw invalid(pointer, 'is not a time that can be stored')
}

export interface TimeRange {
  readonly from?: Date
  readonly to?: Date
}

/**
 * 400 for a range that ends before it begins: an empty list would suggest that nothing happened.
 */
export function toTimeRange(query: { from?: string; to?: string }): TimeRange {
  const from = query.from === undefined ? undefined : toTime(query.from, '/query/from')
  const to = query.to === undefined ? undefined : toTime(query.to, '/query/to')
  if (from !== undefined && to !== undefined && to < from) throw invalid('/query/to', 'is before from')
  return { ...(from && { from }), ...(to && { to }) }
}

export function parseLimit({ limit }: { limit?: string }): number {
  return Math.min(limit === undefined ? DEFAULT_LIMIT : Number.parseInt(limit, 10), MAX_LIMIT)
}

/** `rows` has one row more than `limit` if a next page exists. */
export function toPage<T, R>(
  rows: readonly T[],
  limit: number,
  render: (row: T) => R,
  cursorOf: (row: T) => readonly string[],
) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last !== undefined ? encodeCursor(cursorOf(last)) : null
  return { data: page.map(render), next }
}

/**
 * For a list that scans a limited number of rows per page: a page that is not full continues after
 * the last scanned row. `lastScanned` returns its cursor parts; undefined if no rows are left.
 */
export async function continueFromScan<P extends { readonly next: string | null }>(
  page: P,
  lastScanned: () => Promise<readonly string[] | undefined>,
): Promise<P> {
  if (page.next !== null) return page
  const last = await lastScanned()
  return { ...page, next: last === undefined ? null : encodeCursor(last) }
}

export function encodeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** The position of the last row of the previous page. */
export interface Cursor {
  readonly at: Date
  readonly ids: readonly string[]
}

/** The first part is a time; `parts` is the required number of parts. Other cursors are a 400. */
export function decodeCursor(after: string | undefined, parts?: number): Cursor | undefined {
  const [time = '', ...ids] = decodeCursorParts(after, parts) ?? []
  return after === undefined ? undefined : { at: toTime(time, '/query/after'), ids }
}

export const invalidCursorProblem = () => invalid('/query/after', 'is not a cursor of this list')

/** Like `decodeCursor`, for a list that is not ordered by time. */
export function decodeCursorParts(after: string | undefined, parts?: number): readonly string[] | undefined {
  if (after === undefined) return undefined
  const found = parseCursor(after)
  if ((parts !== undefined && found.length !== parts) || !found.every(isStorable)) throw invalidCursorProblem()
  return found
}

function parseCursor(after: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(after, 'base64url').toString('utf8'))
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : []
  } catch {
    return []
  }
}
