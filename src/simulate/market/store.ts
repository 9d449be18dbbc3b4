/** An embedded database in memory that many runs use one after another: made once, and emptied to what it began with before each run. */
import { ROLES, readConfig } from '../../config/config.ts'
import { fixBuckets } from '../../db/buckets.ts'
import { type Db, statement } from '../../db/db.ts'
import { prepareDb } from '../../db/prepare.ts'
import { checkScales } from '../../db/scales.ts'
import { requireSettings } from '../../process/money-settings.ts'
import { openSwiftDb } from './swift-db.ts'

export type Config = ReturnType<typeof readConfig>

export const SECRET = 'the secret of wallet and platform'

export const CONFIGS = {
  wallet: configOf({ PARTNER_SECRET: SECRET, OPERATOR_API_KEY: 'of-the-operator', PURSER_CLAWBACK: 'allow-negative' }),
  platform: configOf({ PLATFORM_API_KEY: 'of-the-platform' }, ROLES.platform),
}

function configOf(env: Record<string, string>, role?: Parameters<typeof readConfig>[1]): Config {
  return readConfig({ ...env, PURSER_DATA_DIR: 'memory://', PURSER_JOURNAL_DAYS: '0', LOG_LEVEL: 'silent' }, role)
}

export interface Store {
  readonly db: Db
  /** As it was when it was made. */
  empty(): Promise<void>
  close(): Promise<void>
}

export async function makeStore(server: 'wallet' | 'platform'): Promise<Store> {
  const config = CONFIGS[server]
  const db = await openSwiftDb(`database of the ${server}`)
  await prepareDb(db, server, 'auto')
  await checkScales(db, server, config.scales)
  await requireSettings(db, server, config)
  if (server === 'wallet') await fixBuckets(db, config.buckets)
  await db.warm()
  const empty = await keepBeginning(db, server === 'wallet' ? 'purser' : 'platform')
  return { db, empty, close: () => db.close() }
}

/** The way back to what is in the tables of this schema now. */
export async function keepBeginning(db: Db, schema: string): Promise<Store['empty']> {
  const tables = await tablesOf(db, schema)
  const kept = await readRows(db, tables)
  const truncate = statement('simulation_truncate', `truncate table ${tables.join(', ')} restart identity cascade`)
  return () =>
    db.unhurried(async (tx) => {
      await tx.query(truncate)
      for (const [table, rows] of kept)
        await tx.query(statement(`simulation_put_back_${table}`, putBack(table)), [rows])
    })
}

const TABLES = statement(
  'simulation_tables',
  `select n.nspname || '.' || c.relname as name from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $1 and c.relname <> 'migration' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
)

async function tablesOf(db: Db, schema: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(TABLES, [schema])
  return rows.map(({ name }) => name)
}

/** What migrations and the first start have written, of each table that has rows, as JSON. */
async function readRows(db: Db, tables: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const table of tables) {
    const read = statement(`simulation_read_${table}`, `select json_agg(t)::text as rows from ${table} t`)
    const [row] = await db.query<{ rows: string | null }>(read)
    if (row !== undefined && row.rows !== null) found.set(table, row.rows)
  }
  return found
}

const putBack = (table: string) =>
  `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1::json)`
