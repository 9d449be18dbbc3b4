/**
 * Search in the journal, newest calls first.
 *
 * The search reads segments in time slices, from the newest on. Postgres omits segments whose keys
 * exclude a match. The search ends when the page is full or its time is over, and then returns the
 * position at which the next page continues.
 */

import { environment } from '@purser/runtime/environment'
import { type Queryable, statement } from '../database/db.ts'
import { type BuiltQuery, buildQuery, type QueryCondition } from '../database/query-builder.ts'
import type { JournalSchema } from './call-journal.ts'
import { hashJournalKey, type JournalKeyKind } from './journal-keys.ts'
import { parseRecords, type StoredCall } from './journal-record.ts'
import { MAX_CALL_AGE_MS, SEGMENT_SPAN_MS } from './journal-segment.ts'
import { decompressSegment } from './segment-compression.ts'

export interface JournalSearchHit extends StoredCall {
  readonly id: string
}

/** A position in the list, directly after this call. */
export type JournalPosition = Pick<JournalSearchHit, 'at' | 'id'>

export interface JournalSearch {
  readonly names: Readonly<Record<JournalKeyKind, string | undefined>>
  readonly slowerThanMs: number | undefined
  readonly from?: Date
  readonly to?: Date
  /** The last call of the previous page. */
  readonly before: JournalPosition | undefined
  readonly limit: number
}

export interface JournalSearchPage {
  readonly calls: readonly JournalSearchHit[]
  readonly next: JournalPosition | null
}

/** Milliseconds per page. */
const MAX_SEARCH_MS = 1_500
const SEGMENTS_PER_READ = 16
/**
 * Milliseconds. The first time slice is also the shortest, so that a search on a slow machine makes
 * progress. After a fast query the slice doubles, after a slow one it halves, up to MAX_SLICE_MS.
 */
const FIRST_SLICE_MS = 60_000
const MAX_SLICE_MS = 3_600_000
const QUICK_MS = 150
/** Greater than each id of a call. */
const LAST_ID = '~'
/** Milliseconds from the first byte of a call to the last answer of its segment, at most. */
const MAX_ANSWER_DELAY_MS = MAX_CALL_AGE_MS + 2 * SEGMENT_SPAN_MS

interface SegmentRow extends Record<string, unknown> {
  at: Date
  chunk: string
  bytes: Uint8Array
}

export async function searchCalls(
  db: Queryable,
  schema: JournalSchema,
  search: JournalSearch,
): Promise<JournalSearchPage> {
  const found: JournalSearchHit[] = []
  const end = environment.monotonicNow() + MAX_SEARCH_MS
  for await (const { reachedMs, chunk } of iterateSegments(db, schema, search)) {
    // A call is at most as new as its segment, and as all segments before it.
    if (isNewerThan(found[search.limit], reachedMs)) break
    if (environment.monotonicNow() > end && reachedMs < findNewestWanted(search))
      return createPartialPage(found, search.limit, reachedMs)
    if (chunk === undefined) continue
    found.push(...(await readCalls(chunk)).filter((call) => matchesSearch(call, search)))
    found.sort(compareNewestFirst).splice(search.limit + 1)
  }
  const calls = found.slice(0, search.limit)
  return { calls, next: found.length > search.limit ? (calls.at(-1) ?? null) : null }
}

function isNewerThan(call: JournalSearchHit | undefined, reachedMs: number): boolean {
  return call !== undefined && call.at > reachedMs
}

/** The result is complete down to the reached time. */
function createPartialPage(found: readonly JournalSearchHit[], limit: number, reachedMs: number): JournalSearchPage {
  const calls = found.filter(({ at }) => at > reachedMs).slice(0, limit)
  return { calls, next: calls.length === limit ? (calls.at(-1) ?? null) : { at: reachedMs, id: LAST_ID } }
}

/** A segment with possible matches, or only progress. No later call is newer than `reachedMs`. */
interface SearchStep {
  readonly reachedMs: number
  readonly chunk?: SegmentRow
}

async function* iterateSegments(
  db: Queryable,
  schema: JournalSchema,
  search: JournalSearch,
): AsyncGenerator<SearchStep> {
  const [span] = await db.query<{ oldest: Date | null; newest: Date | null }>(SPANS[schema])
  if (!span?.oldest || !span.newest) return
  const oldest = Math.max(span.oldest.getTime(), search.from?.getTime() ?? 0)
  let to = Math.min(span.newest.getTime(), findNewestWanted(search) + MAX_ANSWER_DELAY_MS) + 1
  for (let slice = FIRST_SLICE_MS; to > oldest; ) {
    const begun = environment.monotonicNow()
    const from = Math.max(oldest, to - slice)
    yield* iterateSegmentsBetween(db, schema, search, from, to)
    yield { reachedMs: from }
    to = from
    slice =
      environment.monotonicNow() - begun < QUICK_MS
        ? Math.min(MAX_SLICE_MS, 2 * slice)
        : Math.max(FIRST_SLICE_MS, slice / 2)
  }
}

/** In milliseconds; no matching call is newer. */
function findNewestWanted({ to, before }: JournalSearch): number {
  return Math.min(to?.getTime() ?? Number.POSITIVE_INFINITY, before?.at ?? Number.POSITIVE_INFINITY)
}

async function* iterateSegmentsBetween(
  db: Queryable,
  schema: JournalSchema,
  search: JournalSearch,
  from: number,
  to: number,
): AsyncGenerator<SearchStep> {
  let after: QueryCondition | undefined
  for (;;) {
    const { statement, values } = selectSegments(schema, search, from, to, after)
    const rows = await db.query<SegmentRow>(statement, values)
    for (const chunk of rows) yield { reachedMs: chunk.at.getTime(), chunk }
    const last = rows.at(-1)
    if (last === undefined || rows.length < SEGMENTS_PER_READ) return
    after = ['(at, chunk) < (?::timestamptz, ?::uuid)', last.at, last.chunk]
  }
}

function selectSegments(
  schema: JournalSchema,
  search: JournalSearch,
  from: number,
  to: number,
  after: QueryCondition | undefined,
): BuiltQuery {
  const { names, slowerThanMs } = search
  const hasKey = ([kind, name]: [string, string | undefined]) => [
    kind,
    name === undefined ? undefined : (['?::int = any(keys)', hashJournalKey(kind as JournalKeyKind, name)] as const),
  ]
  const since = findNewestWanted(search)
  return buildQuery(
    `${schema}_find_calls`,
    [new Date(from), new Date(to), SEGMENTS_PER_READ],
    {
      since: Number.isFinite(since) ? ['since <= ?::timestamptz', new Date(since)] : undefined,
      slower: slowerThanMs === undefined ? undefined : ['slowest > ?::real', slowerThanMs],
      ...Object.fromEntries(Object.entries(names).map(hasKey)),
      after,
    },
    (conditions) =>
      `select at, chunk, bytes from ${schema}.journal
       where at >= $1::timestamptz and at < $2::timestamptz${conditions} order by at desc, chunk desc limit $3::int`,
  )
}

const SPANS = { purser: defineSpan('purser'), gateway: defineSpan('gateway') }

function defineSpan(schema: JournalSchema) {
  return statement(`${schema}_journal_span`, `select min(at) as oldest, max(at) as newest from ${schema}.journal`)
}

async function readCalls({ chunk, bytes }: SegmentRow): Promise<JournalSearchHit[]> {
  const calls = parseRecords(await decompressSegment(bytes))
  return calls.map((call, place) => ({ ...call, id: `${chunk}-${place}` }))
}

function matchesSearch(call: JournalSearchHit, { names, slowerThanMs, from, to, before }: JournalSearch): boolean {
  const is = (name: string | undefined, value: string | undefined) => name === undefined || name === value
  return (
    is(names.player, call.player) &&
    is(names.bet, call.betId) &&
    is(names.request, call.requestId) &&
    is(names.operation, call.operation) &&
    is(names.outcome, call.outcome) &&
    is(names.code, call.code?.toString()) &&
    is(names.platform, call.platform) &&
    (slowerThanMs === undefined || call.arrival + call.work > slowerThanMs * US_PER_MS) &&
    (from === undefined || call.at >= from.getTime()) &&
    (to === undefined || call.at < to.getTime()) &&
    (before === undefined || compareNewestFirst(before, call) < 0)
  )
}

const US_PER_MS = 1_000

function compareNewestFirst(a: JournalPosition, b: JournalPosition): number {
  if (a.at !== b.at) return b.at - a.at
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1
}
