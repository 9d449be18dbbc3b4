/**
 * Audit of a feed. Its invariants: numbers have no gaps and no duplicates, and the counter equals
 * the last number. The `size` of each row is the number of its events.
 *
 * The feed is read in chunks, each in its own snapshot. The caller's visitor receives every event.
 */

import { type Db, INDEX_PLANS_ONLY, type Row, type Statement, statement, type Tx } from '../database/db.ts'
import type { Findings } from '../database/invariant-checks.ts'
import { type ChangeStore, readFeedExtent, type StoredEvent } from './change-store.ts'

/** A row with more events is a chunk of its own. */
const CHUNK_EVENTS = 5_000
const MAX_UNNUMBERED_ROWS = 500

export interface FeedPosition {
  readonly bucket: number
  readonly changeId: bigint
  /** The number of the last event of its row; undefined: not numbered yet. */
  readonly number: bigint | undefined
}

export interface FeedVisitor {
  visit(event: StoredEvent, position: FeedPosition): void
  /** Retention has deleted the next events, so a state from earlier events is no longer valid. */
  reset(): void
  /** Called in the last snapshot, after all its events. */
  end(tx: Tx): Promise<void>
  /** Called between two chunks with the last visited number. */
  pause(number: bigint): Promise<void>
}

export interface FeedVisit {
  readonly db: Pick<Db, 'snapshot'>
  readonly store: ChangeStore
  /** The last number before the visit; undefined: the beginning. */
  readonly after: bigint | undefined
  readonly findings: Findings
}

export function formatFeedCheckNames({ schema }: ChangeStore): { readonly numbered: string; readonly sized: string } {
  const feed = schema === 'purser' ? 'the feed' : "the platform's feed"
  return {
    numbered: `${feed} is numbered without gaps, up to its count`,
    sized: `a row of ${feed} has as many events as it says`,
  }
}

/** The end of a feed at one time. Events that are added later come after it. */
export interface FeedEnd {
  readonly number: bigint
  /** The latest row without a number. */
  readonly changeId: bigint | null
}

export function isBeforeFeedEnd(end: FeedEnd, { number, changeId }: FeedPosition): boolean {
  return (number !== undefined && number <= end.number) || (end.changeId !== null && changeId <= end.changeId)
}

/** `beforeFirst` is the number before the first stored event. */
export async function readFeedEnd(tx: Tx, store: ChangeStore): Promise<FeedEnd & { readonly beforeFirst: bigint }> {
  const { last, beforeFirst } = await readFeedExtent(tx, store)
  const [row] = await tx.query<Row & { change_id: bigint | null }>(defineLatestUnnumbered(store))
  return { number: last, beforeFirst, changeId: row?.change_id ?? null }
}

function defineLatestUnnumbered({ schema }: ChangeStore): Statement {
  return statement(
    `${schema}_audit_feed_latest_unnumbered`,
    `select max(change_id) as change_id from ${schema}.change where last_number is null`,
  )
}

interface Edge extends Row {
  count: bigint
  max: bigint | null
  /** The number before the next row; null: no row is left. */
  next: bigint | null
  first: bigint | null
}

interface ChangeRow extends Row {
  change_id: bigint
  bucket: number
  size: number
  events: StoredEvent[]
  last_number: bigint
}

interface Statements {
  readonly edge: Statement
  readonly slice: Statement
  readonly unnumbered: Statement
}

function createStatements({ schema }: ChangeStore): Statements {
  const table = `${schema}.change`
  const columns = `change_id, ${schema === 'purser' ? 'bucket' : '0 as bucket'}, size, events, last_number`
  const ends = `where last_number is not null order by last_number`
  return {
    edge: statement(
      `${schema}_audit_feed_edge`,
      `select n.last_number as count, (select last_number from ${table} ${ends} desc limit 1) as max,
         (select last_number - size from ${table} ${ends} limit 1) as first,
         (select last_number - size from ${table} where last_number > $1::bigint order by last_number limit 1) as next
       from ${schema}.feed_counter n`,
    ),
    slice: statement(
      `${schema}_audit_feed_slice`,
      `select ${columns} from ${table} where last_number > $1::bigint
         and last_number <= greatest($1::bigint + ${CHUNK_EVENTS}, (select last_number from ${table} where last_number > $1::bigint order by last_number limit 1))
       order by last_number`,
    ),
    unnumbered: statement(
      `${schema}_audit_feed_unnumbered`,
      `select ${columns} from ${table} where last_number is null and change_id > $1::bigint order by change_id limit ${MAX_UNNUMBERED_ROWS}`,
    ),
  }
}

export async function visitFeed({ db, store, after, findings }: FeedVisit, visitor: FeedVisitor): Promise<void> {
  const statements = createStatements(store)
  const names = formatFeedCheckNames(store)
  const visitRow = (row: ChangeRow, number: bigint | undefined) => {
    const events = readEvents(store, row)
    if (events.length !== row.size) findings.add(names.sized, { change_id: row.change_id, size: row.size })
    const position = { bucket: row.bucket, changeId: row.change_id, number }
    for (const event of events) visitor.visit(event, position)
  }
  const step = async (tx: Tx, at: bigint | undefined): Promise<bigint | undefined> => {
    await tx.query(INDEX_PLANS_ONLY)
    const [edge] = await tx.query<Edge>(statements.edge, [at ?? -1n])
    if (edge === undefined) throw new Error('the count of changes is missing')
    if (edge.next === null) {
      if (edge.max !== null && edge.max !== edge.count)
        findings.add(names.numbered, { after: edge.count, number: edge.max })
      // Retention has deleted all rows, the next ones included.
      if (edge.max === null && at !== undefined && at < edge.count) visitor.reset()
      await readUnnumbered(tx, statements, (row) => visitRow(row, undefined))
      return undefined
    }
    let before = at ?? edge.next
    if (edge.first !== null && before < edge.first) {
      visitor.reset()
      before = edge.next
    }
    for (const row of await tx.query<ChangeRow>(statements.slice, [before])) {
      if (row.last_number - BigInt(row.size) !== before)
        findings.add(names.numbered, { after: before, number: row.last_number })
      before = row.last_number
      visitRow(row, before)
    }
    return before
  }
  for (let at = after; ; ) {
    const next = await db.snapshot(async (tx) => {
      const reached = await step(tx, at)
      if (reached === undefined) await visitor.end(tx)
      return reached
    })
    if (next === undefined) return
    at = next
    await visitor.pause(at)
  }
}

async function readUnnumbered(tx: Tx, { unnumbered }: Statements, visitRow: (row: ChangeRow) => void): Promise<void> {
  for (let at: bigint | undefined = -1n; at !== undefined; ) {
    const rows: ChangeRow[] = await tx.query<ChangeRow>(unnumbered, [at])
    for (const row of rows) visitRow(row)
    at = rows.length < MAX_UNNUMBERED_ROWS ? undefined : rows.at(-1)?.change_id
  }
}

/** Empty if the row is not in the format that our code writes. */
function readEvents(store: ChangeStore, { events }: ChangeRow): readonly StoredEvent[] {
  try {
    return events.flatMap(store.eventsOf)
  } catch {
    return []
  }
}
