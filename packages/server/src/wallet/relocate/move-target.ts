/** Target of a move: an empty database, or the database that this move has started to fill. */

import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Db, type Row, statement } from '../../core/database/db.ts'
import {
  DATABASE_OWN_SETTINGS,
  deleteIncomingMove,
  describeMovedTo,
  type IncomingMove,
  READ_TABLE_OWNERSHIP,
  readRelocationState,
  writeIncomingMove,
} from '../../core/database/relocation-state.ts'
import { recordBucketCount } from '../../core/database/schema/buckets.ts'
import { KEYED_TABLES, PLAYER_TABLES } from './move-tables.ts'

const READ_ID = statement('move_read_database', "select value from purser.setting where name = 'database'")
const MAKE_ID = statement(
  'move_make_database',
  "insert into purser.setting (name, value) values ('database', $1::text) on conflict (name) do nothing",
)

const OTHERS = [...PLAYER_TABLES, ...KEYED_TABLES, 'change'].filter((table) => table !== 'setting')
const HAS_SETTINGS = statement(
  'move_has_settings',
  'select 1 as row from purser.setting where not name = any($1::text[]) limit 1',
)
/** One query per table, because Citus does not join distributed tables with others. */
const HAS_ROWS = OTHERS.map(
  (table) => [table, statement(`move_has_${table}`, `select 1 as row from purser.${table} limit 1`)] as const,
)
const IS_DISTRIBUTED = statement(
  'move_is_spread',
  "select 1 as is_spread from pg_catalog.pg_dist_partition where logicalrelid = 'purser.player'::regclass",
)
/** Rows are compared by their hash, so both servers must have the same hash function. */
const HASH = statement('move_hash', "select hashtextextended('purser', 0)::text as hash")

/** Throws if a role does not own the tables, or if the servers cannot be compared. */
export async function requireComparable(from: Db, to: Db): Promise<void> {
  if (from.kind === 'pglite' || to.kind === 'pglite')
    throw new UsageError('the embedded database cannot be moved: a move is from one Postgres to another one')
  for (const db of [from, to]) {
    const [row] = await db.query<{ is_owner: boolean }>(READ_TABLE_OWNERSHIP)
    if (!row?.is_owner)
      throw new UsageError('this role lacks rights: run the command as the owner of the tables, in both databases')
  }
  const [there, here] = await Promise.all([from, to].map((db) => db.query<{ hash: string }>(HASH)))
  if (there?.[0]?.hash !== here?.[0]?.hash)
    throw new UsageError('the two servers make different hashes of the same text, so rows cannot be compared by them')
}

/** The archive uses the same id. */
async function ensureDatabaseId(db: Db): Promise<string> {
  await db.longTransaction((tx) => tx.execute(MAKE_ID, [environment.uuid()]))
  const [row] = await db.query<Row & { value: string }>(READ_ID)
  return row?.value ?? ''
}

/** Starts or continues the move to `to`; throws UsageError for any other database. */
export async function claimTarget(from: Db, to: Db, buckets: number | undefined): Promise<IncomingMove> {
  const [{ away: movedTo }, { here: known }] = [await readRelocationState(from), await readRelocationState(to)]
  if (movedTo !== undefined && movedTo.id !== known?.id) throw new UsageError(describeMovedTo(movedTo))
  if (known !== undefined) {
    if (movedTo === undefined && known.from !== (await ensureDatabaseId(from)))
      throw new UsageError('another database is being moved to the target database: choose an empty one')
    if (known.isReady && movedTo === undefined)
      throw new UsageError('the target database was the target of an earlier move and is in use: choose an empty one')
    await recordBucketCount(to, buckets)
    return known
  }
  await requireEmpty(to)
  if (to.kind === 'citus' && (await to.query(IS_DISTRIBUTED)).length === 0)
    throw new UsageError(
      'the tables of the target database are not distributed yet: run purser migrate --citus there first',
    )
  await recordBucketCount(to, buckets)
  const here: IncomingMove = { id: environment.uuid(), from: await ensureDatabaseId(from), isReady: false }
  await writeIncomingMove(to, here)
  if ((await readRelocationState(from)).here?.id === here.id) {
    await deleteIncomingMove(to)
    throw new UsageError('both addresses lead to the same database: give another one in --to')
  }
  return here
}

async function requireEmpty(to: Db): Promise<void> {
  const filled: string[] = []
  if ((await to.query(HAS_SETTINGS, [[...DATABASE_OWN_SETTINGS, 'database']])).length > 0) filled.push('setting')
  for (const [table, hasRows] of HAS_ROWS) if ((await to.query(hasRows)).length > 0) filled.push(table)
  if (filled.length > 0)
    throw new UsageError(
      `the target database is not empty (${filled.join(', ')}): create a new one, and run purser migrate there`,
    )
}
