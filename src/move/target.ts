/** Whether a database may be moved to: an empty one, or one that this very move has begun to fill. */
import { fixBuckets } from '../db/buckets.ts'
import { type Db, type Row, statement } from '../db/db.ts'
import { forgetHere, type Here, IS_OWNER, OWN_SETTINGS, readMoved, sayAway, writeHere } from '../db/moved.ts'
import { world } from '../runtime/world.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { BY_KEY, OF_PLAYERS } from './tables.ts'

const READ_ID = statement('move_read_database', "select value from purser.setting where name = 'database'")
const MAKE_ID = statement(
  'move_make_database',
  "insert into purser.setting (name, value) values ('database', $1::text) on conflict (name) do nothing",
)

const OTHERS = [...OF_PLAYERS, ...BY_KEY, 'change'].filter((table) => table !== 'setting')
const HAS_SETTINGS = statement(
  'move_has_settings',
  'select 1 as row from purser.setting where not name = any($1::text[]) limit 1',
)
/** One after another: Citus joins no table that it has spread with one that it has not. */
const HAS_ROWS = OTHERS.map(
  (table) => [table, statement(`move_has_${table}`, `select 1 as row from purser.${table} limit 1`)] as const,
)
const SPREAD = statement(
  'move_is_spread',
  "select 1 as is_spread from pg_catalog.pg_dist_partition where logicalrelid = 'purser.player'::regclass",
)
/** Rows are compared by it, so it must be the same function on both sides. */
const HASH = statement('move_hash', "select hashtextextended('purser', 0)::text as hash")

/** Throws when a role is not the owner of the tables, or the two servers cannot be compared. */
export async function requireBoth(from: Db, to: Db): Promise<void> {
  if (from.kind === 'pglite' || to.kind === 'pglite')
    throw new WrongUse('a move is from one Postgres to another one: the embedded database cannot be moved')
  for (const db of [from, to]) {
    const [row] = await db.query<{ is_owner: boolean }>(IS_OWNER)
    if (!row?.is_owner) throw new WrongUse('run this as the owner of the tables, in both databases')
  }
  const [there, here] = await Promise.all([from, to].map((db) => db.query<{ hash: string }>(HASH)))
  if (there?.[0]?.hash !== here?.[0]?.hash)
    throw new WrongUse('the two servers make different hashes of the same text, so rows cannot be compared by them')
}

/** The id that an archive knows it by, too. */
async function databaseId(db: Db): Promise<string> {
  await db.unhurried((tx) => tx.execute(MAKE_ID, [world.uuid()]))
  const [row] = await db.query<Row & { value: string }>(READ_ID)
  return row?.value ?? ''
}

/** The move that fills `to`: begun, or gone on with. Throws WrongUse for any other database. */
export async function claim(from: Db, to: Db, buckets: number | undefined): Promise<Here> {
  const [{ away }, { here: known }] = [await readMoved(from), await readMoved(to)]
  if (away !== undefined && away.id !== known?.id) throw new WrongUse(sayAway(away))
  if (known !== undefined) {
    if (away === undefined && known.from !== (await databaseId(from)))
      throw new WrongUse('another database is moved to that one: choose an empty one')
    if (known.isReady && away === undefined)
      throw new WrongUse('that database was moved to before, and is in use since: choose an empty one')
    await fixBuckets(to, buckets)
    return known
  }
  await requireEmpty(to)
  if (to.kind === 'citus' && (await to.query(SPREAD)).length === 0)
    throw new WrongUse('the tables of that database are not distributed yet: run purser migrate --citus there first')
  await fixBuckets(to, buckets)
  const here: Here = { id: world.uuid(), from: await databaseId(from), isReady: false }
  await writeHere(to, here)
  if ((await readMoved(from)).here?.id === here.id) {
    await forgetHere(to)
    throw new WrongUse('both addresses are those of the same database')
  }
  return here
}

async function requireEmpty(to: Db): Promise<void> {
  const filled: string[] = []
  if ((await to.query(HAS_SETTINGS, [[...OWN_SETTINGS, 'database']])).length > 0) filled.push('setting')
  for (const [table, hasRows] of HAS_ROWS) if ((await to.query(hasRows)).length > 0) filled.push(table)
  if (filled.length > 0)
    throw new WrongUse(
      `that database is not empty (${filled.join(', ')}): make a new one, and run purser migrate there`,
    )
}
