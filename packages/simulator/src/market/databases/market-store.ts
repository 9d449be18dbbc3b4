/**
 * The in-memory database and the configuration of each party. They are created once and reset
 * before each run.
 */

import type { Currency } from '@purser/protocol/wire-ids'
import { PROCESS_ROLES, readConfig } from 'purser/core/config/config'
import { type Db, statement } from 'purser/core/database/db'
import { recordBucketCount } from 'purser/core/database/schema/buckets'
import { prepareDatabase } from 'purser/core/database/schema/database-startup'
import { isWallet, PARTY_NAMES, type PartyName, serverOf } from '../actors/party-names.ts'
import { type Scenario, toMoneyRules } from '../scenario.ts'
import { openSimulatedPglite } from './pglite-db.ts'

export type ServerConfig = ReturnType<typeof readConfig>

export const MARKET_SECRET = 'the secret of wallet and platform'
/** The second platform's secret and name (W-43). */
export const OTHER_SECRET = 'the secret of the other platform'
export const OTHER_PLATFORM = 'other-platform'

/** Settings for a restart. A wrong scale must be refused (M-5); the others change no answer. */
export type OtherSettings = 'the fast path is off' | 'few calls at once' | 'another scale'

function withOtherSettings(config: ServerConfig, settings: OtherSettings | undefined): ServerConfig {
  switch (settings) {
    case 'the fast path is off':
      return { ...config, fastPath: 'off' }
    case 'few calls at once':
      return { ...config, callsPerPartner: 2 }
    case 'another scale':
      return { ...config, scales: new Map([...config.scales, ['EUR' as Currency, 4]]) }
    default:
      return config
  }
}

export const CONFIGS = {
  wallet: readMarketConfig({
    PARTNER_SECRET: MARKET_SECRET,
    OPERATOR_API_KEY: 'of-the-operator',
    PURSER_CLAWBACK: 'allow-negative',
  }),
  gateway: readMarketConfig(
    { PARTNER_SECRET: MARKET_SECRET, GATEWAY_API_KEY: 'of-the-gateway' },
    PROCESS_ROLES.gateway,
  ),
  platform: readMarketConfig({ PLATFORM_API_KEY: 'of-the-platform' }, PROCESS_ROLES.platform),
}

function readMarketConfig(env: Record<string, string>, role?: Parameters<typeof readConfig>[1]): ServerConfig {
  return readConfig({ ...env, PURSER_DATA_DIR: 'memory://', PURSER_JOURNAL_DAYS: '0', LOG_LEVEL: 'silent' }, role)
}

export function createPartyConfig(
  party: PartyName,
  scenario: Scenario,
  settings: OtherSettings | undefined,
): ServerConfig {
  const config = withOtherSettings(CONFIGS[serverOf(party)], settings)
  if (!isWallet(party)) return config
  const platformSecrets = scenario.hasOtherPlatform === true ? [{ platform: OTHER_PLATFORM, value: OTHER_SECRET }] : []
  return { ...config, ...toMoneyRules(scenario), platformSecrets, behindAggregator: scenario.operators > 1 }
}

export interface Store {
  readonly db: Db
  /** The present state, memory included, becomes the state to which `empty` resets. */
  keep(): Promise<void>
  empty(): Promise<void>
  /** Resolves to a function that restores the present content. */
  backup(): Promise<() => Promise<void>>
  close(): Promise<void>
}

export async function createStores(given?: Images): Promise<Readonly<Record<PartyName, Store>>> {
  const images = given ?? (await createImages())
  const made = []
  for (const party of PARTY_NAMES) made.push([party, await openStore(party, images)] as const)
  return Object.fromEntries(made) as Record<PartyName, Store>
}

export async function closeStores(stores: Readonly<Record<PartyName, Store>>): Promise<void> {
  await Promise.all(PARTY_NAMES.map((party) => stores[party].close()))
}

export type Images = Readonly<Record<ReturnType<typeof serverOf>, Blob>>

/** Postgres creates its own tables only once, because this takes the longest. */
export async function createImages(): Promise<Images> {
  const first = await openSimulatedPglite(MADE_BY)
  const nothing = await first.image()
  await first.close()
  const made = { ...CONFIGS } as unknown as Record<keyof Images, Blob>
  for (const server of ['wallet', 'gateway', 'platform'] as const) {
    const db = await openSimulatedPglite(MADE_BY, nothing)
    await prepareDatabase(db, server, 'auto')
    if (server === 'wallet') await recordBucketCount(db, CONFIGS.wallet.buckets)
    made[server] = await db.image()
    await db.close()
  }
  return made
}

const MADE_BY = 'database of the platform'

async function openStore(party: PartyName, images: Images): Promise<Store> {
  const server = serverOf(party)
  const db = await openSimulatedPglite(`database of the ${party}`, images[server])
  await db.warm()
  const { empty, backup } = await snapshotTables(db, server === 'wallet' ? 'purser' : server)
  let putBack = empty
  return {
    ...{ db, backup, empty: () => putBack(), close: () => db.close() },
    async keep() {
      await empty()
      putBack = await db.keep()
    },
  }
}

export async function snapshotTables(db: Db, schema: string): Promise<Pick<Store, 'empty' | 'backup'>> {
  const tables = await readTables(db, schema)
  const content = await readContent(db, schema, tables.keys())
  /**
   * Tables without writes are skipped: truncating one would cost a file, and the plans of its
   * statements.
   */
  const becomes = ({ rowsOf, numbers }: Content) =>
    db.longTransaction(async (tx) => {
      const [used] = await tx.query<{ used: string[] }>(USED, [[...tables.keys()]])
      for (const table of used?.used ?? []) await tx.query(truncateStatement(table))
      await tx.query(RESTART, [numbers])
      for (const [table, rows] of rowsOf)
        await tx.query(statement(`simulation_put_back_${table}`, putBack(table, tables.get(table))), [rows])
    })
  return {
    empty: () => becomes(content),
    async backup() {
      const then = await db.snapshot((tx) => readContent(tx, schema, tables.keys()))
      return () => becomes(then)
    },
  }
}

const TABLES = statement(
  'simulation_tables',
  `select n.nspname || '.' || c.relname as name,
     (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
   from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $1 and c.relname <> 'migration' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
)

/** The columns exclude generated ones. */
async function readTables(db: Db, schema: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ name: string; columns: string }>(TABLES, [schema])
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

interface Content {
  /** All rows, as JSON; a table without rows is missing. */
  readonly rowsOf: ReadonlyMap<string, string>
  /** The next number of each sequence, as JSON. */
  readonly numbers: string
}

async function readContent(db: Pick<Db, 'query'>, schema: string, tables: Iterable<string>): Promise<Content> {
  const [row] = await db.query<{ numbers: string }>(NUMBERS, [schema])
  return { rowsOf: await readRows(db, tables), numbers: row?.numbers ?? '[]' }
}

async function readRows(db: Pick<Db, 'query'>, tables: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const table of tables) {
    const read = statement(`simulation_read_${table}`, `select json_agg(t)::text as rows from ${table} t`)
    const [row] = await db.query<{ rows: string | null }>(read)
    if (row !== undefined && row.rows !== null) found.set(table, row.rows)
  }
  return found
}

/** Tables that have a page, and partitioned tables. A rolled back row leaves a page too. */
const USED = statement(
  'simulation_used',
  `select coalesce(array_agg(name order by name), '{}') as used from unnest($1::text[]) as t (name)
   join pg_catalog.pg_class c on c.oid = name::regclass where c.relkind = 'p' or pg_catalog.pg_relation_size(c.oid) > 0`,
)
const truncateStatement = (table: string) =>
  statement(`simulation_truncate_${table}`, `truncate table ${table} cascade`)

/** All sequences: a refused row may have taken a number. */
const NUMBERS = statement(
  'simulation_numbers',
  `select coalesce(json_agg(json_build_object('name', quote_ident(schemaname) || '.' || quote_ident(sequencename),
     'value', coalesce(last_value, start_value), 'is_used', last_value is not null)), '[]')::text as numbers
   from pg_catalog.pg_sequences where schemaname = $1::text`,
)
const RESTART = statement(
  'simulation_restart',
  `select setval(name::regclass, value, is_used) from json_to_recordset($1::json) as n (name text, value bigint, is_used boolean)`,
)

const putBack = (table: string, columns = '*') =>
  `insert into ${table} (${columns}) overriding system value
   select ${columns} from json_populate_recordset(null::${table}, $1::json)`
