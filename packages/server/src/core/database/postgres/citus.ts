/**
 * Distribution of the wallet's tables over several machines (`purser migrate --citus`).
 *
 * Tables with a column `bucket` are distributed by it. All rows of a bucket are on one worker, so a
 * batch is written there only. All other tables are small and stay on the coordinator.
 */
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Db, Row } from '../db.ts'

type Run = (sql: string) => Promise<Row[]>

/** Tables that are distributed by bucket. The others are colocated with the first one. */
export const DISTRIBUTED_TABLES = [
  'player',
  'session',
  'account',
  'transfer',
  'cash_movement',
  'proposal',
  'bet',
  'bet_details',
  'bet_event',
  'bet_call',
  'carried_balance',
  'change',
] as const
const [FIRST_TABLE] = DISTRIBUTED_TABLES

/**
 * Tables on the coordinator that a transaction writes together with distributed ones. If Citus did
 * not know these tables, it would commit on the worker first, and a crash could keep half of a
 * transaction.
 */
export const CITUS_LOCAL_TABLES = ['action', 'adjusted_sum', 'archived_sum', 'feed_counter'] as const

/** Bits between two change ids of the coordinator, for the ids that workers assign. */
const CHANGE_ID_BITS = 22

/**
 * The number of buckets of a new database, unless a setting names another. Each bucket is a shard,
 * which is twelve tables on its worker.
 */
export const BUCKETS_ON_CITUS = 8

export interface BucketDistribution {
  readonly distributed: readonly string[]
  /** Number of buckets per worker (`host:port`). */
  readonly buckets: Readonly<Record<string, number>>
}

export interface BucketShards {
  /** Id of the bucket's shard of the first table. */
  readonly first: string
  /** Name of the table's shard for this bucket; undefined for a table that is not distributed. */
  shardName(table: string): string | undefined
}

/**
 * An SQL function for each bucket, and the dispatcher that callers use. Its first argument is the
 * bucket.
 */
export interface BucketFunctions {
  readonly name: string
  /** Prefix of the function's name, which is the same in every version. */
  readonly family: string
  readonly signature: string
  readonly dispatcher: string
  ofBucket(shards: BucketShards): string
}

/**
 * Distributes tables that are not distributed yet, gives each bucket its own shard, spreads the
 * shards evenly, and creates the functions. It can run again after a new migration, an upgrade, or
 * an interrupted run.
 */
export async function distributeTables(
  db: Db,
  buckets: number,
  functions: BucketFunctions,
): Promise<BucketDistribution> {
  if (db.kind !== 'citus')
    throw new UsageError('the database has no Citus: create extension citus, and add its workers with citus_add_node')
  const missing = await db.script(prepareDistribution)
  // Only the first table is split, and the other tables follow its shards.
  while (await db.script((run) => splitLargestShard(run, buckets)));
  // One transaction per table: it locks a table and its indexes for each bucket.
  for (const table of missing) await db.script((run) => distributeLike(run, table))
  await db.script(async (run) => {
    await registerCitusLocalTables(run)
    await createFunctions(run, buckets, functions)
  })
  return { distributed: missing, buckets: await db.script(countBucketsByWorker) }
}

/** Resolves to the tables that are not distributed, except that this distributes the first one. */
async function prepareDistribution(run: Run): Promise<string[]> {
  const workers = await run('select 1 from pg_catalog.citus_get_active_worker_nodes()')
  if (workers.length === 0) throw new UsageError('Citus has no workers yet: add them with citus_add_node')
  const known = await listKnownTables(run)
  const missing = DISTRIBUTED_TABLES.filter((table) => !known.includes(table))
  if (missing.includes('change')) await leaveRoomBetweenChanges(run)
  // One shard for now: Citus would cut by the hash, with several buckets in one shard and none in
  // others.
  if (missing.includes(FIRST_TABLE))
    await run(
      `select create_distributed_table('purser.${FIRST_TABLE}', 'bucket', shard_count => 1, colocate_with => 'none')`,
    )
  return missing
}

async function distributeLike(run: Run, table: string): Promise<void> {
  if (table === FIRST_TABLE) return
  // Otherwise Citus would open a connection for each bucket's shard.
  await run("set local citus.multi_shard_modify_mode = 'sequential'")
  await run(`select create_distributed_table('purser.${table}', 'bucket', colocate_with => 'purser.${FIRST_TABLE}')`)
}

/** Includes the function that aborts a transaction with a stale row. */
async function registerCitusLocalTables(run: Run): Promise<void> {
  const known = await listKnownTables(run)
  for (const table of CITUS_LOCAL_TABLES)
    if (!known.includes(table)) await run(`select citus_add_local_table_to_metadata('purser.${table}')`)
  await run("select create_distributed_function('purser.raise_stale_row(text)')")
}

async function listKnownTables(run: Run): Promise<unknown[]> {
  const rows = await run(
    "select relname from pg_catalog.pg_dist_partition p join pg_catalog.pg_class c on c.oid = p.logicalrelid where c.relnamespace = 'purser'::regnamespace",
  )
  return rows.map(({ relname }) => relname)
}

/**
 * Leaves room for the workers' ids between the coordinator's change ids. Citus refuses this for a
 * distributed table.
 */
async function leaveRoomBetweenChanges(run: Run): Promise<void> {
  const [row] = await run(
    `select ((coalesce(max(change_id), 0) >> ${CHANGE_ID_BITS}) + 1) << ${CHANGE_ID_BITS} as next from purser.change`,
  )
  const step = 2 ** CHANGE_ID_BITS
  await run(`alter table purser.change alter column change_id set increment by ${step} restart with ${row?.next}`)
}

/** Pieces per split. Each may be twelve tables, which are locked together. */
const PIECES_AT_ONCE = 32

/** A shard of the first table, with its buckets in the order of their hashes. */
interface Shard {
  readonly id: unknown
  readonly node: unknown
  readonly buckets: readonly BucketHash[]
}

interface BucketHash {
  readonly bucket: unknown
  readonly hash: number
}

async function readFirstTableShards(run: Run, buckets: number): Promise<Shard[]> {
  const hashes = (await run(
    `select b as bucket, worker_hash(b) as hash from generate_series(0, ${buckets - 1}) b order by 2`,
  )) as unknown as BucketHash[]
  const shards = await run(
    `select s.shardid as id, n.nodeid as node, s.shardminvalue::int as min, s.shardmaxvalue::int as max
     from pg_catalog.pg_dist_shard s join pg_catalog.pg_dist_placement p using (shardid) join pg_catalog.pg_dist_node n using (groupid)
     where s.logicalrelid = 'purser.${FIRST_TABLE}'::regclass order by 1`,
  )
  return shards.map(({ id, node, min, max }) => ({
    ...{ id, node },
    buckets: hashes.filter(({ hash }) => (min as number) <= hash && hash <= (max as number)),
  }))
}

/**
 * Splits the shard with the most buckets, for the workers with the fewest; false when none has
 * several.
 */
async function splitLargestShard(run: Run, buckets: number): Promise<boolean> {
  const shards = await readFirstTableShards(run, buckets)
  const largest = shards.reduce((a, b) => (b.buckets.length > a.buckets.length ? b : a))
  const all = largest.buckets
  if (all.length < 2) return false
  const nodes = await run(
    "select nodeid from pg_catalog.pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards order by 1",
  )
  const sums = new Map(nodes.map(({ nodeid }) => [nodeid, 0]))
  for (const { node, buckets } of shards.filter((shard) => shard !== largest))
    sums.set(node, (sums.get(node) ?? 0) + buckets.length)
  const size = Math.ceil(all.length / Math.min(all.length, PIECES_AT_ONCE))
  const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
  const targets = pieces.map((piece) => {
    const [least] = [...sums].reduce((a, b) => (b[1] < a[1] ? b : a))
    sums.set(least, (sums.get(least) ?? 0) + piece.length)
    return least
  })
  const ends = pieces.slice(0, -1).map((piece) => `'${piece.at(-1)?.hash}'`)
  await run(
    `select citus_split_shard_by_split_points(${largest.id}, array[${ends.join(', ')}], array[${targets.join(', ')}], 'block_writes')`,
  )
  return true
}

async function countBucketsByWorker(run: Run): Promise<Record<string, number>> {
  const rows = await run(
    `select n.nodename || ':' || n.nodeport as worker, count(p.shardid)::int as buckets from pg_catalog.pg_dist_node n
     left join (pg_catalog.pg_dist_placement p join pg_catalog.pg_dist_shard s on s.shardid = p.shardid and s.logicalrelid = 'purser.${FIRST_TABLE}'::regclass)
       on p.groupid = n.groupid
     where n.noderole = 'primary' and n.isactive and n.shouldhaveshards group by 1 order by 1`,
  )
  return Object.fromEntries(rows.map(({ worker, buckets }) => [worker, buckets as number]))
}

/**
 * Function that locks a bucket, with the rights of the tables' owner. It takes the locks that Citus
 * takes for a statement. One is on the table of players, so it waits for `purser move`. It throws
 * on a worker without the bucket.
 */
export const HOLD_BUCKET = `create or replace function purser.lock_bucket(bucket int) returns bigint language plpgsql security definer
  set search_path = pg_catalog as $hold$
  declare shard bigint := get_shard_id_for_distribution_column('purser.${FIRST_TABLE}', bucket);
  begin
    perform lock_relation_if_exists('purser.${FIRST_TABLE}', 'ROW EXCLUSIVE');
    perform lock_shard_metadata(5, array[shard]);
    if not exists (select 1 from pg_dist_placement p join pg_dist_local_group g using (groupid) where p.shardid = shard) then
      perform purser.raise_stale_row('a bucket');
    end if;
    return shard;
  end $hold$`

const NEXT_CHANGE_ID = `create or replace function purser.next_change_id() returns bigint language sql security definer
  set search_path = pg_catalog as $next$ select nextval('purser.change_change_id_seq') $next$`

/**
 * Citus also creates these functions on the workers. Their bodies name shards, which only exist
 * there.
 */
async function createFunctions(run: Run, buckets: number, functions: BucketFunctions): Promise<void> {
  const { name, signature } = functions
  const rows = await run(
    `select p.proname, oidvectortypes(p.proargtypes) as types from pg_catalog.pg_proc p
     where p.pronamespace = 'purser'::regnamespace and p.proname like '${functions.family}\\_%'`,
  )
  for (const { proname, types } of rows.filter(({ proname }) => !String(proname).startsWith(name)))
    await run(`drop function purser.${proname}(${types})`)
  await run('set local check_function_bodies = off')
  for (const sql of [HOLD_BUCKET, NEXT_CHANGE_ID, functions.dispatcher]) await run(sql)
  for (const shards of await readBucketShards(run, buckets)) await run(functions.ofBucket(shards))
  if (!rows.some(({ proname }) => proname === name))
    await run(
      `select create_distributed_function('purser.${name}(${signature})', '$1', colocate_with => 'purser.${FIRST_TABLE}')`,
    )
}

async function readBucketShards(run: Run, buckets: number): Promise<BucketShards[]> {
  const columns = DISTRIBUTED_TABLES.map(
    (table) => `get_shard_id_for_distribution_column('purser.${table}', b) as ${table}`,
  )
  const rows = await run(`select ${columns.join(', ')} from generate_series(0, ${buckets - 1}) b`)
  return rows.map((row) => ({
    first: String(row[FIRST_TABLE]),
    shardName: (table) => (row[table] === undefined ? undefined : `purser.${table}_${row[table]}`),
  }))
}
