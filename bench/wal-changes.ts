// Counts the changes of calls in the write-ahead log (pg_walinspect), by table and index: locked,
// inserted and changed rows, index entries, and full-page images.
import pg from 'pg'

/** Per call. */
export interface WalChanges {
  relation: string
  locks: number
  rows: number
  /** A change in place (HOT) needs no index entry; `changes` counts the others. */
  changesInPlace: number
  changes: number
  entries: number
  images: number
}

/** A change that moves a row to another page is one record with two pages. */
const TOUCHED = `
  select coalesce(c.oid::regclass::text, 'TOAST and catalogues') as relation,
    count(*) filter (where block_id = 0 and record_type in ('LOCK', 'LOCK_UPDATED')) as locks,
    count(*) filter (where block_id = 0 and record_type ~ '^(MULTI_)?INSERT' and resource_manager ~ '^Heap') as rows,
    count(*) filter (where block_id = 0 and record_type like 'HOT_UPDATE%') as "changesInPlace",
    count(*) filter (where block_id = 0 and record_type ~ '^UPDATE') as changes,
    count(*) filter (where block_id = 0 and record_type ~ '^INSERT' and resource_manager !~ '^Heap') as entries,
    count(*) filter (where block_fpi_length > 0) as images
  from pg_get_wal_block_info('0/0'::pg_lsn + $1::numeric, '0/0'::pg_lsn + $2::numeric) w
  left join pg_class c on c.relfilenode = w.relfilenode and c.relnamespace not in ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
  where w.reldatabase = (select oid from pg_database where datname = current_database())
  group by 1 order by 1`

/**
 * Reads between two positions in bytes. A relation with fewer than 5 changes per 1,000 calls is
 * left out.
 */
export async function readWalChanges(
  databaseUrl: string,
  from: number,
  to: number,
  calls: number,
): Promise<WalChanges[]> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query('create extension if not exists pg_walinspect')
    const { rows } = await client.query<Record<string, string>>(TOUCHED, [from, to])
    return rows.map(({ relation = '', ...counts }) => perCall(relation, counts, calls)).filter(isOften)
  } finally {
    await client.end()
  }
}

const LEAST = 0.005

function perCall(relation: string, counts: Record<string, string>, calls: number): WalChanges {
  const numbers = Object.entries(counts).map(([name, count]) => [name, +count / calls])
  return { relation, ...Object.fromEntries(numbers) } as WalChanges
}

function isOften({ relation: _relation, ...counts }: WalChanges): boolean {
  return Object.values(counts).some((count) => count >= LEAST)
}
