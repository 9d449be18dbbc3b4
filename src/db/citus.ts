/**
 * The wallet's tables over several machines: `purser migrate --citus`. Every table that has a bucket is distributed by it, and all of a bucket
 * lies on one worker, so that a batch is written there and nowhere else. All others are small, and stay with the coordinator.
 */
import { WrongUse } from '../runtime/wrong-use.ts'
import type { Db, Row } from './db.ts'

type Run = (sql: string) => Promise<Row[]>

/** The first one is the one that the others lie with. */
export const DISTRIBUTED = [
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
const [FIRST] = DISTRIBUTED

/**
 * Tables of the coordinator that are written together with distributed ones. Citus has to know of them: else it takes such a transaction for one
 * of a single worker, which it commits before the coordinator, and a crash in between would leave half of it.
 */
export const WRITTEN_TOGETHER = ['action', 'archived_sum', 'change_count'] as const

/** Of a new database, where none are asked for. There are as many shards: more would be empty ones, and each is twelve tables on a worker. */
export const BUCKETS_ON_CITUS = 8

export interface Spread {
  /** Tables that this run has distributed. */
  readonly distributed: readonly string[]
  /** Of each worker, `host:port`, the buckets that lie on it. */
  readonly buckets: Readonly<Record<string, number>>
}

/**
 * Distributes what is not yet distributed, and spreads the buckets evenly over the workers while there are no players. May be repeated: after a
 * migration that adds a table, and after a run that did not end.
 */
export async function distribute(db: Db, buckets: number): Promise<Spread> {
  if (db.kind !== 'citus')
    throw new WrongUse('the database has no Citus: create extension citus, and add its workers with citus_add_node')
  const distributed = await db.script(async (run) => {
    const workers = await run('select 1 from pg_catalog.citus_get_active_worker_nodes()')
    if (workers.length === 0) throw new WrongUse('Citus has no workers yet: add them with citus_add_node')
    return distributeTables(run, buckets)
  })
  const [isUsed] = await db.script((run) => run(`select 1 from purser.${FIRST} limit 1`))
  if (isUsed === undefined) await spread(db, buckets)
  return { distributed, buckets: await db.script((run) => bucketsByWorker(run, buckets)) }
}

async function distributeTables(run: Run, buckets: number): Promise<string[]> {
  const rows = await run(
    "select relname from pg_catalog.pg_dist_partition p join pg_catalog.pg_class c on c.oid = p.logicalrelid where c.relnamespace = 'purser'::regnamespace",
  )
  const known = rows.map(({ relname }) => relname)
  const missing = DISTRIBUTED.filter((table) => !known.includes(table))
  for (const table of missing) {
    const place =
      table === FIRST ? `shard_count => ${buckets}, colocate_with => 'none'` : `colocate_with => 'purser.${FIRST}'`
    await run(`select create_distributed_table('purser.${table}', 'bucket', ${place})`)
  }
  await run("select create_distributed_function('purser.moved_on(text)')")
  for (const table of WRITTEN_TOGETHER)
    if (!known.includes(table)) await run(`select citus_add_local_table_to_metadata('purser.${table}')`)
  return missing
}

const PLACES = (
  buckets: number,
) => `select s.shardid, s.nodename || ':' || s.nodeport as worker, count(b)::int as buckets
  from pg_catalog.citus_shards s
  left join (select get_shard_id_for_distribution_column('purser.${FIRST}', n) as shardid, n as b from generate_series(0, ${buckets - 1}) n) k
    on k.shardid = s.shardid
  where s.table_name = 'purser.${FIRST}'::regclass group by 1, 2 order by 3 desc, 1`

async function bucketsByWorker(run: Run, buckets: number): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { nodename, nodeport } of await run(
    'select nodename, nodeport from pg_catalog.citus_get_active_worker_nodes() as w (nodename, nodeport) order by 1, 2',
  ))
    sums[`${nodename}:${nodeport}`] = 0
  for (const row of await run(PLACES(buckets)))
    sums[String(row.worker)] = (sums[String(row.worker)] ?? 0) + (row.buckets as number)
  return sums
}

/**
 * The shard of a bucket follows from a hash, so some shards have none and some have several. The fullest first, each goes to the worker that
 * has the fewest buckets; one that is there already stays. Each move is a transaction of its own.
 */
async function spread(db: Db, buckets: number): Promise<void> {
  const [now, places] = await db.script(async (run) => [
    await bucketsByWorker(run, buckets),
    await run(PLACES(buckets)),
  ])
  const sums = new Map(Object.keys(now).map((worker) => [worker, 0]))
  for (const { shardid, worker, buckets: count } of places) {
    const from = String(worker)
    const least = Math.min(...sums.values())
    const to = sums.get(from) === least ? from : ([...sums.keys()].find((one) => sums.get(one) === least) ?? from)
    sums.set(to, (sums.get(to) ?? 0) + (count as number))
    if (to !== from && (count as number) > 0) await db.script((run) => move(run, String(shardid), from, to))
  }
}

function move(run: Run, shard: string, from: string, to: string): Promise<Row[]> {
  const [source, target] = [from, to].map((worker) => {
    const end = worker.lastIndexOf(':')
    return `'${worker.slice(0, end)}', ${worker.slice(end + 1)}`
  })
  return run(`select citus_move_shard_placement(${shard}, ${source}, ${target}, 'block_writes')`)
}
