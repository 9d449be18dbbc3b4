/** What journal and feed have of a player who is erased (O-10): the calls go, the events get the pseudonym. For the owner of the tables. */
import { type Db, statement, type Tx, WITHIN_SECONDS } from '../db/db.ts'
import { type ChangeStore, numberHeld, type StoredEvent } from './change-store.ts'
import { keyOf } from './keys.ts'
import { NUMBERED_AT_ONCE } from './number-over-buckets.ts'
import { packed, unpacked } from './packed.ts'
import { playersIn } from './record.ts'

/** Chunks, or rows of the feed, of one transaction. */
const SLICE = 100

/** Reads all of the journal behind a chunk, so nothing is locked meanwhile and no time is set: days of calls may take minutes. */
const FIND_CHUNKS = statement(
  'forget_find_chunks',
  `select at, chunk from purser.journal
   where $1::int = any(keys) and (at, chunk) > ($2::timestamptz, $3::uuid) order by at, chunk limit ${SLICE}`,
)
const READ_CHUNKS = statement(
  'forget_read_chunks',
  `select at, chunk, bytes from purser.journal
   where (at, chunk) in (select * from unnest($1::timestamptz[], $2::uuid[])) and $3::int = any(keys) order by at, chunk for update`,
)
const WRITE_CHUNK = statement(
  'forget_write_chunk',
  `update purser.journal set calls = $3::int, bytes = $4::bytea, keys = array_remove(keys, $5::int) where at = $1::timestamptz and chunk = $2::uuid`,
)
const DROP_CHUNK = statement(
  'forget_drop_chunk',
  'delete from purser.journal where at = $1::timestamptz and chunk = $2::uuid',
)

interface Place extends Record<string, unknown> {
  at: Date
  chunk: string
}

interface ChunkRow extends Place {
  bytes: Uint8Array
}

const NO_CHUNK = '00000000-0000-0000-0000-000000000000'

/** Takes the player's calls out of the journal; resolves to how many. A call that names the player but could not be read goes with its day. */
export async function forgetCalls(db: Pick<Db, 'unhurried'>, player: string): Promise<number> {
  const key = keyOf('player', player)
  let taken = 0
  for (let place: Place = { at: new Date(0), chunk: NO_CHUNK }; ; ) {
    const asked = [key, place.at, place.chunk]
    const found = await db.unhurried((tx) => tx.query<Place>(FIND_CHUNKS, asked))
    taken += await db.unhurried((tx) => forgetIn(tx, found, key, player))
    const last = found.at(-1)
    if (last === undefined || found.length < SLICE) return taken
    place = last
  }
}

/** Of these chunks; resolves to the number of calls. */
async function forgetIn(tx: Tx, places: readonly Place[], key: number, player: string): Promise<number> {
  await tx.query(WITHIN_SECONDS)
  const asked = [places.map(({ at }) => at.toISOString()), places.map(({ chunk }) => chunk), key]
  let taken = 0
  for (const { at, chunk, bytes } of await tx.query<ChunkRow>(READ_CHUNKS, asked)) {
    const { gone, left, rest } = withoutPlayer(await unpacked(bytes), player)
    if (gone === 0) continue // another player with the same hash
    if (left === 0) await tx.execute(DROP_CHUNK, [at, chunk])
    else await tx.execute(WRITE_CHUNK, [at, chunk, left, packed(rest), key])
    taken += gone
  }
  return taken
}

function withoutPlayer(bytes: Buffer, player: string): { gone: number; left: number; rest: Buffer } {
  const all = playersIn(bytes)
  const kept = all.filter((record) => record.player !== player)
  return { gone: all.length - kept.length, left: kept.length, rest: Buffer.concat(kept.map(({ raw }) => raw)) }
}

const HOLD_COUNT = statement('forget_hold_count', 'select last_number from purser.change_count for update')
/** Reads all of the feed behind a number, so nothing is locked meanwhile. What has a number changes no more. */
const FIND_EVENTS = statement(
  'forget_find_events',
  `select last_number as number from purser.change
   where bucket = $1::int and last_number > $2::bigint and strpos(events::text, $3::text) > 0 order by last_number limit ${SLICE}`,
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

/** Gives the player's events another name; resolves to the rows that had some. `rename` changes nobody else's. */
export async function renameEvents(
  db: Db,
  store: ChangeStore,
  bucket: number,
  player: string,
  rename: (item: StoredEvent) => StoredEvent,
): Promise<number> {
  await numberEach(db, store)
  let rows = 0
  for (let after = -1n; ; ) {
    const asked = [bucket, after, JSON.stringify(player)]
    const found = await db.unhurried((tx) => tx.query<{ number: bigint }>(FIND_EVENTS, asked))
    const numbers = found.map(({ number }) => number)
    await db.unhurried(async (tx) => {
      await tx.query(WITHIN_SECONDS)
      await tx.query(HOLD_COUNT) // who numbers finds rows by where they lie, which a change of one moves
      for (const { row, events } of await tx.query<EventRow>(READ_EVENTS, [numbers, bucket]))
        await tx.execute(WRITE_EVENTS, [row, JSON.stringify(events.map(rename)), bucket])
    })
    rows += numbers.length
    const last = numbers.at(-1)
    if (last === undefined || numbers.length < SLICE) return rows
    after = last
  }
}

/** Each row that is committed has its place then. A process that is just numbering is waited for: a reader would do without its rows. */
async function numberEach(db: Db, store: ChangeStore): Promise<void> {
  const numberSome = async (tx: Tx) => {
    await tx.query(WITHIN_SECONDS)
    await tx.query(HOLD_COUNT)
    return numberHeld(db, tx, store)
  }
  while ((await db.unhurried(numberSome)) === NUMBERED_AT_ONCE);
}
