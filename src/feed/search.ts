/**
 * Looks for calls in the journal, newest first. Chunks are looked through from the newest on, in slices of time; Postgres leaves out those whose
 * keys say that no such call is in them, and the others are read. A look ends when the page is full, or its time is over: then the page
 * says where to go on.
 */
import { type Composed, type Condition, compose } from '../db/conditions.ts'
import { type Reading, statement } from '../db/db.ts'
import { world } from '../runtime/world.ts'
import { MAX_AGE_MS, SPAN_MS } from './chunk.ts'
import type { JournalSchema } from './journal.ts'
import { type KeyKind, keyOf } from './keys.ts'
import { unpacked } from './packed.ts'
import { recordsIn, type StoredCall } from './record.ts'

export interface FoundCall extends StoredCall {
  readonly id: string
}

/** Before a call, in the order of a list. */
export type Place = Pick<FoundCall, 'at' | 'id'>

export interface CallSearch {
  readonly names: Readonly<Record<KeyKind, string | undefined>>
  readonly slowerThanMs: number | undefined
  readonly from?: Date
  readonly to?: Date
  /** The last call of the page before. */
  readonly before: Place | undefined
  readonly limit: number
}

export interface FoundPage {
  readonly calls: readonly FoundCall[]
  readonly next: Place | null
}

/** Milliseconds for one page. */
const LOOK_MS = 1_500
/** Chunks that are read at a time. */
const CHUNKS = 16
/**
 * Milliseconds of the first slice of time, which is the shortest: on a machine that is slow for others' sake the look still gets on. A quick look has
 * the next one twice as long, a slow one half. The longest may lie on a busy evening.
 */
const FIRST_SLICE_MS = 60_000
const MOST_SLICE_MS = 3_600_000
const QUICK_MS = 150
/** Greater than the id of any call. */
const LAST_ID = '~'
/** Milliseconds from the first byte of a call to the last answer of its chunk, at most. */
const LATEST_MS = MAX_AGE_MS + 2 * SPAN_MS

interface ChunkRow extends Record<string, unknown> {
  at: Date
  chunk: string
  bytes: Uint8Array
}

export async function findCalls(reading: Reading, schema: JournalSchema, search: CallSearch): Promise<FoundPage> {
  const found: FoundCall[] = []
  const end = world.elapsed() + LOOK_MS
  for await (const { reachedMs, chunk } of chunksFor(reading, schema, search)) {
    // A call is never younger than its chunk, nor than those that follow.
    if (isBefore(found[search.limit], reachedMs)) break
    if (world.elapsed() > end && reachedMs < youngest(search)) return pageUntil(found, search.limit, reachedMs)
    if (chunk === undefined) continue
    found.push(...(await callsIn(chunk)).filter((call) => isWanted(call, search)))
    found.sort(newestFirst).splice(search.limit + 1)
  }
  const calls = found.slice(0, search.limit)
  return { calls, next: found.length > search.limit ? (calls.at(-1) ?? null) : null }
}

function isBefore(call: FoundCall | undefined, reachedMs: number): boolean {
  return call !== undefined && call.at > reachedMs
}

/** What was found is whole down to the time that was reached. */
function pageUntil(found: readonly FoundCall[], limit: number, reachedMs: number): FoundPage {
  const calls = found.filter(({ at }) => at > reachedMs).slice(0, limit)
  return { calls, next: calls.length === limit ? (calls.at(-1) ?? null) : { at: reachedMs, id: LAST_ID } }
}

/** A chunk that may have such calls, or none: how far the look has come. No call that follows is younger than `reachedMs`. */
interface Step {
  readonly reachedMs: number
  readonly chunk?: ChunkRow
}

async function* chunksFor(reading: Reading, schema: JournalSchema, search: CallSearch): AsyncGenerator<Step> {
  const [kept] = await reading.query<{ oldest: Date | null; newest: Date | null }>(SPANS[schema])
  if (!kept?.oldest || !kept.newest) return
  const oldest = Math.max(kept.oldest.getTime(), search.from?.getTime() ?? 0)
  let to = Math.min(kept.newest.getTime(), youngest(search) + LATEST_MS) + 1
  for (let slice = FIRST_SLICE_MS; to > oldest; ) {
    const begun = world.elapsed()
    const from = Math.max(oldest, to - slice)
    yield* chunksBetween(reading, schema, search, from, to)
    yield { reachedMs: from }
    to = from
    slice =
      world.elapsed() - begun < QUICK_MS ? Math.min(MOST_SLICE_MS, 2 * slice) : Math.max(FIRST_SLICE_MS, slice / 2)
  }
}

/** No call that is wanted came later, in milliseconds. */
function youngest({ to, before }: CallSearch): number {
  return Math.min(to?.getTime() ?? Number.POSITIVE_INFINITY, before?.at ?? Number.POSITIVE_INFINITY)
}

async function* chunksBetween(
  reading: Reading,
  schema: JournalSchema,
  search: CallSearch,
  from: number,
  to: number,
): AsyncGenerator<Step> {
  let after: Condition | undefined
  for (;;) {
    const { statement, values } = selectChunks(schema, search, from, to, after)
    const rows = await reading.query<ChunkRow>(statement, values)
    for (const chunk of rows) yield { reachedMs: chunk.at.getTime(), chunk }
    const last = rows.at(-1)
    if (last === undefined || rows.length < CHUNKS) return
    after = ['(at, chunk) < (?::timestamptz, ?::uuid)', last.at, last.chunk]
  }
}

function selectChunks(
  schema: JournalSchema,
  search: CallSearch,
  from: number,
  to: number,
  after: Condition | undefined,
): Composed {
  const { names, slowerThanMs } = search
  const hasKey = ([kind, name]: [string, string | undefined]) => [
    kind,
    name === undefined ? undefined : (['?::int = any(keys)', keyOf(kind as KeyKind, name)] as const),
  ]
  const since = youngest(search)
  return compose(
    `${schema}_find_calls`,
    [new Date(from), new Date(to), CHUNKS],
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

const SPANS = { purser: spanOf('purser'), gateway: spanOf('gateway') }

function spanOf(schema: JournalSchema) {
  return statement(`${schema}_journal_span`, `select min(at) as oldest, max(at) as newest from ${schema}.journal`)
}

async function callsIn({ chunk, bytes }: ChunkRow): Promise<FoundCall[]> {
  const calls = recordsIn(await unpacked(bytes))
  return calls.map((call, place) => ({ ...call, id: `${chunk}-${place}` }))
}

function isWanted(call: FoundCall, { names, slowerThanMs, from, to, before }: CallSearch): boolean {
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
    (before === undefined || newestFirst(before, call) < 0)
  )
}

const US_PER_MS = 1_000

function newestFirst(a: Place, b: Place): number {
  if (a.at !== b.at) return b.at - a.at
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1
}
