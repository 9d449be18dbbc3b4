/**
 * Erasure of a player from the call journal and the change feed (O-10). Calls are deleted, and
 * events get the player's pseudonym. The erasure runs with the rights of the tables' owner.
 */

import { type ChangeStore, numberUnderLock, type StoredEvent } from '../change-feed/change-store.ts'
import { MAX_NUMBERED_PER_TRANSACTION } from '../change-feed/distributed-numbering.ts'
import { type Db, STATEMENT_TIMEOUT_SECONDS, statement, type Tx } from '../database/db.ts'
import { hashJournalKey } from './journal-keys.ts'
import { parseRecordPlayers } from './journal-record.ts'
import { compressSegment, decompressSegment } from './segment-compression.ts'

/** Segments or rows of the feed per transaction. */
const CHUNK_ROWS = 100

/** Scans the rest of the journal, perhaps for minutes, so it has no time limit and no locks. */
const FIND_SEGMENTS = statement(
  'forget_find_chunks',
  `select at, chunk from purser.journal
   where $1::int = any(keys) and (at, chunk) > ($2::timestamptz, $3::uuid) order by at, chunk limit ${CHUNK_ROWS}`,
)
const READ_SEGMENTS = statement(
  'forget_read_chunks',
  `select at, chunk, bytes from purser.journal
   where (at, chunk) in (select * from unnest($1::timestamptz[], $2::uuid[])) and $3::int = any(keys) order by at, chunk for update`,
)
const WRITE_SEGMENT = statement(
  'forget_write_chunk',
  `update purser.journal set calls = $3::int, bytes = $4::bytea, keys = array_remove(keys, $5::int) where at = $1::timestamptz and chunk = $2::uuid`,
)
const DELETE_SEGMENT = statement(
  'forget_drop_chunk',
  'delete from purser.journal where at = $1::timestamptz and chunk = $2::uuid',
)

interface SegmentKey extends Record<string, unknown> {
  at: Date
  chunk: string
}

interface SegmentRow extends SegmentKey {
  bytes: Uint8Array
}

const FIRST_SEGMENT = '00000000-0000-0000-0000-000000000000'

/**
 * Returns the number of deleted calls. An unreadable call that names the player stays until its day
 * is dropped.
 */
export async function eraseCalls(db: Pick<Db, 'longTransaction'>, player: string): Promise<number> {
  const key = hashJournalKey('player', player)
  let erased = 0
  for (let position: SegmentKey = { at: new Date(0), chunk: FIRST_SEGMENT }; ; ) {
    const values = [key, position.at, position.chunk]
    const found = await db.longTransaction((tx) => tx.query<SegmentKey>(FIND_SEGMENTS, values))
    erased += await db.longTransaction((tx) => eraseFromSegments(tx, found, key, player))
    const last = found.at(-1)
    if (last === undefined || found.length < CHUNK_ROWS) return erased
    position = last
  }
}

async function eraseFromSegments(
  tx: Tx,
  segments: readonly SegmentKey[],
  key: number,
  player: string,
): Promise<number> {
  await tx.query(STATEMENT_TIMEOUT_SECONDS)
  const values = [segments.map(({ at }) => at.toISOString()), segments.map(({ chunk }) => chunk), key]
  let erased = 0
  for (const { at, chunk, bytes } of await tx.query<SegmentRow>(READ_SEGMENTS, values)) {
    const { gone, left, rest } = withoutPlayer(await decompressSegment(bytes), player)
    if (gone === 0) continue // another player has the same hash
    if (left === 0) await tx.execute(DELETE_SEGMENT, [at, chunk])
    else await tx.execute(WRITE_SEGMENT, [at, chunk, left, compressSegment(rest), key])
    erased += gone
  }
  return erased
}

function withoutPlayer(bytes: Buffer, player: string): { gone: number; left: number; rest: Buffer } {
  const all = parseRecordPlayers(bytes)
  const remaining = all.filter((record) => record.player !== player)
  return {
    gone: all.length - remaining.length,
    left: remaining.length,
    rest: Buffer.concat(remaining.map(({ raw }) => raw)),
  }
}

const LOCK_COUNT = statement('forget_hold_count', 'select last_number from purser.feed_counter for update')
/** Scans the rest of the feed without locks, because numbered rows do not change. */
const FIND_EVENTS = statement(
  'forget_find_events',
  `select last_number as number from purser.change
   where bucket = $1::int and last_number > $2::bigint and strpos(events::text, $3::text) > 0 order by last_number limit ${CHUNK_ROWS}`,
)
const READ_EVENTS = statement(
  'forget_read_events',
  'select ctid::text as row, events from purser.change where bucket = $2::int and last_number = any($1::bigint[]) for update',
)
const WRITE_EVENTS = statement(
  'forget_write_events',
  'update purser.change set events = $2::json where bucket = $3::int and ctid = $1::tid',
)

interface EventRow extends Record<string, unknown> {
  row: string
  events: StoredEvent[]
}

/** Returns the number of changed rows. `rename` must change only this player's events. */
export async function pseudonymizeEvents(
  db: Db,
  store: ChangeStore,
  bucket: number,
  player: string,
  rename: (item: StoredEvent) => StoredEvent,
): Promise<number> {
  await numberAllCommitted(db, store)
  let rows = 0
  for (let after = -1n; ; ) {
    const values = [bucket, after, JSON.stringify(player)]
    const found = await db.longTransaction((tx) => tx.query<{ number: bigint }>(FIND_EVENTS, values))
    const numbers = found.map(({ number }) => number)
    await db.longTransaction(async (tx) => {
      await tx.query(STATEMENT_TIMEOUT_SECONDS)
      await tx.query(LOCK_COUNT) // numbering uses the ctid of rows, which an update changes
      for (const { row, events } of await tx.query<EventRow>(READ_EVENTS, [numbers, bucket]))
        await tx.execute(WRITE_EVENTS, [row, JSON.stringify(events.map(rename)), bucket])
    })
    rows += numbers.length
    const last = numbers.at(-1)
    if (last === undefined || numbers.length < CHUNK_ROWS) return rows
    after = last
  }
}

/**
 * Numbers every committed row. It waits for a process that is numbering, while readers continue
 * without the rows of that process.
 */
async function numberAllCommitted(db: Db, store: ChangeStore): Promise<void> {
  const numberSome = async (tx: Tx) => {
    await tx.query(STATEMENT_TIMEOUT_SECONDS)
    await tx.query(LOCK_COUNT)
    return numberUnderLock(db, tx, store)
  }
  while ((await db.longTransaction(numberSome)) === MAX_NUMBERED_PER_TRANSACTION);
}
