/**
 * Database privileges of each server. A server has only the privileges that it needs.
 *
 * Invariant: no server has the privilege to delete rows. Rows that are written once (transfers,
 * calls, cash movements, audit log entries) can only be read and added.
 *
 * The GRANTs and the check at each start use this table. Servers in tests have only these
 * privileges.
 */
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type Db, statement, type Tx } from '../db.ts'
import { mapRows } from '../row-mapping.ts'

export type ServerKind = 'wallet' | 'platform' | 'gateway'
type Privilege = 'select' | 'insert' | 'update' | 'execute' | `update (${string})`

const READ = ['select'] as const
/** Append-only. */
const ADD = ['select', 'insert'] as const
/** For a function that performs one task with the rights of the owner. */
const CALL = ['execute'] as const
/** For a sequence: its next number needs the right to update. */
const COUNT = ['select', 'update'] as const
/** `for update` needs the right to update too. */
const CHANGE = ['select', 'insert', 'update'] as const
/** For a feed: an event is numbered once, and its other columns never change. */
const NUMBER = ['select', 'insert', 'update (last_number)'] as const

export const PRIVILEGES: Readonly<Record<ServerKind, Readonly<Record<string, readonly Privilege[]>>>> = {
  wallet: {
    'purser.migration': READ,
    'purser.setting': ADD,
    'purser.currency': ADD,
    'purser.player': CHANGE,
    'purser.session': CHANGE,
    'purser.account': CHANGE,
    'purser.transfer': ADD,
    'purser.cash_movement': ADD,
    'purser.proposal': CHANGE,
    'purser.adjusted_sum': CHANGE,
    'purser.bet': CHANGE,
    'purser.bet_details': ADD,
    'purser.bet_event': ADD,
    'purser.bet_call': ADD,
    'purser.daily_close': ADD,
    'purser.daily_sum': ADD,
    'purser.archive': READ,
    'purser.carried_balance': READ,
    'purser.archived_sum': READ,
    'purser.api_key': CHANGE,
    'purser.action': ADD,
    'purser.console_user': CHANGE,
    'purser.console_session': CHANGE,
    'purser.console_failure': CHANGE,
    'purser.webhook': CHANGE,
    'purser.change': NUMBER,
    'purser.change_change_id_seq': READ,
    'purser.feed_counter': CHANGE,
    'purser.journal': ADD,
    'purser.journal_retention': READ,
    'purser.call_stats': CHANGE,
    'purser.conformance_run': CHANGE,
    'purser.rotate_journal()': CALL,
    'purser.prepare_journal()': CALL,
    'purser.raise_stale_row(text)': CALL,
  },
  platform: {
    'purser.migration': READ,
    'platform.setting': ADD,
    'platform.currency': ADD,
    'platform.partner': CHANGE,
    'platform.frame_session': CHANGE,
    'platform.event': CHANGE,
    'platform.outcome': CHANGE,
    'platform.limits': CHANGE,
    'platform.bet': CHANGE,
    'platform.selection': ADD,
    'platform.outcome_total': CHANGE,
    'platform.event_total': CHANGE,
    'platform.delivery': CHANGE,
    'platform.delivery_delivery_id_seq': COUNT,
    'platform.message': CHANGE,
    'platform.attempt': ADD,
    'platform.retry': CHANGE,
    'platform.retry_delivery': ADD,
    'platform.api_key': CHANGE,
    'platform.action': ADD,
    'platform.console_user': CHANGE,
    'platform.console_session': CHANGE,
    'platform.console_failure': CHANGE,
    'platform.change': NUMBER,
    'platform.change_change_id_seq': READ,
    'platform.feed_counter': CHANGE,
    'platform.call_stats': CHANGE,
  },
  gateway: {
    'purser.migration': READ,
    'gateway.operator': CHANGE,
    'gateway.player': ADD,
    'gateway.session': ADD,
    'gateway.api_key': CHANGE,
    'gateway.action': ADD,
    'gateway.journal': ADD,
    'purser.journal_retention': READ,
    'gateway.rotate_journal()': CALL,
    'gateway.prepare_journal()': CALL,
  },
}

/** SQL for the owner of the tables. It must run again after a migration that adds a table. */
export function formatGrants(server: ServerKind, role: string): string {
  const name = quoteIdentifier(role)
  const privilegesByObject = Object.entries(PRIVILEGES[server]).map(
    ([object, privileges]) => [formatGrantTarget(object), privileges] as const,
  )
  const own = listSchemas(server).at(-1)
  return [
    ...listSchemas(server).map((schema) => `grant usage on schema ${schema} to ${name};`),
    ...privilegesByObject.flatMap(([object, privileges]) => [
      `revoke all on ${object} from ${name};`,
      `grant ${privileges.join(', ')} on ${object} to ${name};`,
    ]),
    `alter default privileges in schema ${own} grant ${CHANGE.join(', ')} on tables to ${name};`,
  ].join('\n')
}

export function formatGrantTarget(object: string): string {
  return object.endsWith(')') ? `function ${object}` : object
}

/** The server's own schema is last. All servers read the list of migrations. */
function listSchemas(server: ServerKind): string[] {
  return [...new Set(Object.keys(PRIVILEGES[server]).map((table) => table.split('.')[0] as string))]
}

function quoteIdentifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

const COLUMN_PRIVILEGE = / \((\w+)\)$/

interface RequiredPrivilege {
  readonly schema: string
  readonly name: string
  readonly privilege: Privilege
}

const REQUIRED_PRIVILEGES = mapRows<RequiredPrivilege>(2, {
  schema: ['text', ({ schema }) => schema],
  name: ['text', ({ name }) => name],
  needed: ['text', ({ privilege }) => privilege.replace(COLUMN_PRIVILEGE, '')],
  member: ['text', ({ privilege }) => COLUMN_PRIVILEGE.exec(privilege)?.[1] ?? ''],
})

/**
 * Names are looked up in the catalog, which every role may read. SQL with a closed schema's name
 * would fail.
 */
const READ_MISSING_PRIVILEGES = statement(
  'read_missing_rights',
  `select current_user::text as role, array(
     select format('usage on schema %I', k.name) from unnest($1::text[]) as k (name)
     join pg_catalog.pg_namespace n on n.nspname = k.name
     where not has_schema_privilege(n.oid, 'usage')
   ) || array(
     select format('%s%s on %I.%I', k.needed, case when k.member <> '' then format(' (%I)', k.member) end, k.schema, k.name) from ${REQUIRED_PRIVILEGES.from} k
     join pg_catalog.pg_namespace n on n.nspname = k.schema
     join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = k.name
     where k.needed <> 'execute' and not case when k.member = '' then has_table_privilege(c.oid, k.needed)
       else has_column_privilege(c.oid, k.member, k.needed) end
   ) || array(
     select format('execute on function %I.%s', k.schema, k.name) from ${REQUIRED_PRIVILEGES.from} k
     join pg_catalog.pg_namespace n on n.nspname = k.schema
     join pg_catalog.pg_proc p on p.pronamespace = n.oid and p.proname || '(' || pg_catalog.oidvectortypes(p.proargtypes) || ')' = k.name
     where k.needed = 'execute' and not has_function_privilege(p.oid, 'execute')
   ) as missing`,
)

/**
 * Resolves to the missing GRANTs. A table that does not exist yet needs none. The query runs in a
 * transaction, because no server is ready while none may begin (W-22).
 */
export function findMissingPrivileges(db: Pick<Db, 'transaction'>, server: ServerKind): Promise<string[]> {
  return db.transaction((tx) => readMissingPrivileges(tx, server))
}

export function readMissingPrivileges(tx: Tx, server: ServerKind): Promise<string[]> {
  return queryMissingPrivileges(tx, listSchemas(server), PRIVILEGES[server])
}

async function queryMissingPrivileges(
  tx: Tx,
  schemas: readonly string[],
  privilegesByObject: Readonly<Record<string, readonly Privilege[]>>,
): Promise<string[]> {
  const needed = Object.entries(privilegesByObject).flatMap(([object, privileges]) => {
    const [schema = '', name = ''] = object.split('.')
    return privileges.map((privilege): RequiredPrivilege => ({ schema, name, privilege }))
  })
  const values = [schemas, ...REQUIRED_PRIVILEGES.values(needed)]
  const [row] = await tx.query<{ role: string; missing: string[] }>(READ_MISSING_PRIVILEGES, values)
  return (row?.missing ?? []).map((privilege) => `grant ${privilege} to ${quoteIdentifier(row?.role ?? '')};`)
}

/** Throws with the missing GRANTs: a wallet that takes stakes and cannot pay must not start. */
export async function requirePrivileges(db: Pick<Db, 'transaction'>, server: ServerKind): Promise<void> {
  const missing = await findMissingPrivileges(db, server)
  if (missing.length === 0) return
  throw new UsageError(
    [
      `the role that the ${server} runs as lacks rights; the owner of the tables can grant them:`,
      ...missing.map((grant) => `  ${grant}`),
      `or all that it needs: purser migrate --grant ${server}=ROLE`,
    ].join('\n'),
  )
}

/** For a command that reads a few tables. Throws with the missing GRANTs and the other remedy. */
export async function requireReadPrivileges(
  db: Pick<Db, 'snapshot'>,
  { schema, tables, otherwise }: { schema: string; tables: readonly string[]; otherwise: string },
): Promise<void> {
  const privilegesByObject = Object.fromEntries(tables.map((name) => [`${schema}.${name}`, READ]))
  const missing = await db.snapshot((tx) => queryMissingPrivileges(tx, [schema], privilegesByObject))
  if (missing.length === 0) return
  throw new UsageError(
    [
      'the role lacks rights to read; the owner of the tables can grant them:',
      ...missing.map((grant) => `  ${grant}`),
      otherwise,
    ].join('\n'),
  )
}
