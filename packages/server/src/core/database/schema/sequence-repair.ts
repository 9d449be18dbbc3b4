/**
 * Repair of sequences and counters that are lower than the numbers in their tables.
 *
 * Logical replication copies no sequences, and a restore can be of some tables only. Without a
 * repair, the next numbers of the sequence would already be in use.
 *
 * Invariant: no server starts while a counter is lower than the numbers of its table.
 */
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Db, type Row, statement } from '../db.ts'
import type { Finding } from '../invariant-checks.ts'
import type { ServerKind } from './database-privileges.ts'
import { emptyIfDenied } from './empty-tables.ts'

interface Counter {
  /** A sequence, or a table with the counter in its only row. */
  readonly name: string
  readonly table: string
  readonly column: string
}

const countersOfFeed = (schema: 'purser' | 'platform'): Counter[] => [
  { name: `${schema}.change_change_id_seq`, table: `${schema}.change`, column: 'change_id' },
  { name: `${schema}.feed_counter`, table: `${schema}.change`, column: 'last_number' },
]
const COUNTERS: Readonly<Record<ServerKind, readonly Counter[]>> = {
  wallet: countersOfFeed('purser'),
  platform: [
    ...countersOfFeed('platform'),
    { name: 'platform.delivery_delivery_id_seq', table: 'platform.delivery', column: 'delivery_id' },
  ],
  gateway: [],
}

const isSequence = ({ name }: Counter) => name.endsWith('_seq')

/** An index finds the highest number, however large the table is. */
function describeSql(counter: Counter): string {
  const { name, table, column } = counter
  const used = isSequence(counter) ? 'case when is_called then last_value else last_value - 1 end' : 'last_number'
  return `select '${name}' as name, c.used, t.highest, has_table_privilege('${name}', 'update') as may_repair
    from (select ${used} as used from ${name}) c,
      (select max(${column}) as highest from ${table} where ${column} is not null) t
    where t.highest > c.used`
}

function repairSql(counter: Counter): string {
  const { name, table, column } = counter
  const highest = `(select max(${column}) from ${table})`
  return isSequence(counter) ? `select setval('${name}', ${highest})` : `update ${name} set last_number = ${highest}`
}

interface LaggingCounterRow extends Row {
  readonly name: string
  readonly used: bigint
  readonly highest: bigint
  readonly may_repair: boolean
}

async function findLagging(db: Pick<Db, 'query'>, server: ServerKind): Promise<LaggingCounterRow[]> {
  const texts = COUNTERS[server].map(describeSql)
  if (texts.length === 0) return []
  return db.query<LaggingCounterRow>(statement(`read_counters_behind_of_${server}`, texts.join('\nunion all\n')))
}

export const LAGGING_COUNTER_CHECK = 'no sequence or count is behind the numbers of its table'

/** For the audit; a start repairs the counters. */
export async function findLaggingCounters(db: Pick<Db, 'kind' | 'query'>): Promise<Finding[]> {
  if (db.kind !== 'postgres') return []
  const lagging = await Promise.all([findLagging(db, 'wallet'), findLagging(db, 'platform')].map(emptyIfDenied))
  return lagging.flat().map(({ name, used, highest }) => ({
    check: LAGGING_COUNTER_CHECK,
    row: { name, used: String(used), highest: String(highest) },
  }))
}

/** One start at a time repairs, so that none sets a counter back. The number is arbitrary. */
const REPAIR_LOCK = 7_785_776

/**
 * Resolves to a sentence for each repaired counter. Throws when the role may not set one. On Citus
 * the workers number the wallet's changes too, so only a platform is checked. An embedded database
 * is never replicated.
 */
export async function repairCounters(db: Pick<Db, 'kind' | 'query' | 'script'>, server: ServerKind): Promise<string[]> {
  if (db.kind === 'pglite' || (db.kind === 'citus' && server === 'wallet')) return []
  const found = await findLagging(db, server)
  if (found.length === 0) return []
  if (found.some(({ may_repair: mayRepair }) => !mayRepair))
    throw new UsageError(explainMissingPrivilege(found, server))
  return db.script(async (run) => {
    await run(`select pg_advisory_xact_lock(${REPAIR_LOCK})`)
    const lagging = await findLagging(db, server)
    for (const counter of selectCounters(lagging, server)) await run(repairSql(counter))
    return lagging.map((row) => `${describe(row)}: it was set to ${row.highest}`)
  })
}

function selectCounters(lagging: readonly LaggingCounterRow[], server: ServerKind): Counter[] {
  return COUNTERS[server].filter(({ name }) => lagging.some((row) => row.name === name))
}

function describe({ name, used, highest }: LaggingCounterRow): string {
  return `${name} was at ${used} while its table has numbers up to ${highest}, as after logical replication or a restore of some tables`
}

function explainMissingPrivilege(found: readonly LaggingCounterRow[], server: ServerKind): string {
  return [
    ...found.map((row) => `${describe(row)}: the next rows would get numbers that are in use`),
    'the role of the server may not set it; as the owner of the tables run purser migrate, or:',
    ...selectCounters(found, server).map((counter) => `  ${repairSql(counter)};`),
  ].join('\n')
}

const NUMBER_CONSTRAINTS = ['change_pkey', 'change_by_number', 'delivery_pkey', 'message_pkey']

/**
 * Adds cause and remedy to the error of a duplicate number, which no retry of the call resolves.
 */
export function adviseOnDuplicateNumber(error: unknown): void {
  if (!(error instanceof Error && 'constraint' in error && NUMBER_CONSTRAINTS.includes(String(error.constraint))))
    return
  error.message +=
    '; a sequence or count is behind the rows of its table: start the server again, or run purser migrate'
}
