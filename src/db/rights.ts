/**
 * What each server may do in the database, and no more: nothing is ever deleted, and what is written once (transfers, calls,
 * movements of cash, actions) can only be read and added to. One table for the grants, for the check at every start, and for the tests,
 * whose servers run with just these rights.
 */
import { WrongUse } from '../runtime/wrong-use.ts'
import { type Db, statement, type Tx } from './db.ts'
import { rowsOf } from './rows.ts'

export type Server = 'wallet' | 'platform' | 'gateway'
type Right = 'select' | 'insert' | 'update' | 'execute' | `update (${string})`

const READ = ['select'] as const
/** Append-only. */
const ADD = ['select', 'insert'] as const
/** Of a function that does one thing with the rights of the owner. */
const CALL = ['execute'] as const
/** A sequence: to take the next number is to update it. */
const COUNT = ['select', 'update'] as const
/** `for update` needs the right to update too. */
const CHANGE = ['select', 'insert', 'update'] as const
/** Of a feed: an event is numbered once, and what it says stays. */
const NUMBER = ['select', 'insert', 'update (last_number)'] as const

export const RIGHTS: Readonly<Record<Server, Readonly<Record<string, readonly Right[]>>>> = {
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
    'purser.console_person': CHANGE,
    'purser.console_session': CHANGE,
    'purser.console_failure': CHANGE,
    'purser.webhook': CHANGE,
    'purser.change': NUMBER,
    'purser.change_change_id_seq': READ,
    'purser.change_count': CHANGE,
    'purser.journal': ADD,
    'purser.journal_retention': READ,
    'purser.minute': CHANGE,
    'purser.conformance_run': CHANGE,
    'purser.turn_journal()': CALL,
    'purser.prepare_journal()': CALL,
    'purser.moved_on(text)': CALL,
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
    'platform.retried': ADD,
    'platform.api_key': CHANGE,
    'platform.action': ADD,
    'platform.console_person': CHANGE,
    'platform.console_session': CHANGE,
    'platform.console_failure': CHANGE,
    'platform.change': NUMBER,
    'platform.change_change_id_seq': READ,
    'platform.change_count': CHANGE,
    'platform.minute': CHANGE,
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
    'gateway.turn_journal()': CALL,
    'gateway.prepare_journal()': CALL,
  },
}

/** SQL for the owner of the tables: gives a role just these rights. To be repeated after a migration that adds a table. */
export function grantsFor(server: Server, role: string): string {
  const name = quoted(role)
  const rightsOn = Object.entries(RIGHTS[server]).map(([thing, rights]) => [targetOf(thing), rights] as const)
  const own = schemasOf(server).at(-1)
  return [
    ...schemasOf(server).map((schema) => `grant usage on schema ${schema} to ${name};`),
    ...rightsOn.flatMap(([thing, rights]) => [
      `revoke all on ${thing} from ${name};`,
      `grant ${rights.join(', ')} on ${thing} to ${name};`,
    ]),
    `alter default privileges in schema ${own} grant ${CHANGE.join(', ')} on tables to ${name};`,
  ].join('\n')
}

/** A table, a sequence or a function, as GRANT names it. */
export function targetOf(thing: string): string {
  return thing.endsWith(')') ? `function ${thing}` : thing
}

/** The server's own comes last; all have the list of migrations. */
function schemasOf(server: Server): string[] {
  return [...new Set(Object.keys(RIGHTS[server]).map((table) => table.split('.')[0] as string))]
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/** At the end of a right, in parentheses. */
const ONE_COLUMN = / \((\w+)\)$/

interface Needed {
  readonly schema: string
  readonly name: string
  readonly right: Right
}

const NEEDED = rowsOf<Needed>(2, {
  schema: ['text', ({ schema }) => schema],
  name: ['text', ({ name }) => name],
  needed: ['text', ({ right }) => right.replace(ONE_COLUMN, '')],
  member: ['text', ({ right }) => ONE_COLUMN.exec(right)?.[1] ?? ''],
})

/** Looked up by name in the catalog, which everybody may read: by a name in SQL, a schema that is closed to us would be an error. */
const READ_MISSING_RIGHTS = statement(
  'read_missing_rights',
  `select current_user::text as role, array(
     select format('usage on schema %I', k.name) from unnest($1::text[]) as k (name)
     join pg_catalog.pg_namespace n on n.nspname = k.name
     where not has_schema_privilege(n.oid, 'usage')
   ) || array(
     select format('%s%s on %I.%I', k.needed, case when k.member <> '' then format(' (%I)', k.member) end, k.schema, k.name) from ${NEEDED.from} k
     join pg_catalog.pg_namespace n on n.nspname = k.schema
     join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = k.name
     where k.needed <> 'execute' and not case when k.member = '' then has_table_privilege(c.oid, k.needed)
       else has_column_privilege(c.oid, k.member, k.needed) end
   ) || array(
     select format('execute on function %I.%s', k.schema, k.name) from ${NEEDED.from} k
     join pg_catalog.pg_namespace n on n.nspname = k.schema
     join pg_catalog.pg_proc p on p.pronamespace = n.oid and p.proname || '(' || pg_catalog.oidvectortypes(p.proargtypes) || ')' = k.name
     where k.needed = 'execute' and not has_function_privilege(p.oid, 'execute')
   ) as missing`,
)

/**
 * As the GRANTs that mend it; empty when nothing is missing. Of a table that is not there yet nothing is said. Asked in a
 * transaction: as long as none may be begun (W-22), nobody is ready.
 */
export function missingRights(db: Pick<Db, 'transaction'>, server: Server): Promise<string[]> {
  return db.transaction((tx) => missingRightsIn(tx, server))
}

export function missingRightsIn(tx: Tx, server: Server): Promise<string[]> {
  return missingOf(tx, schemasOf(server), RIGHTS[server])
}

async function missingOf(
  tx: Tx,
  schemas: readonly string[],
  rightsOn: Readonly<Record<string, readonly Right[]>>,
): Promise<string[]> {
  const needed = Object.entries(rightsOn).flatMap(([thing, rights]) => {
    const [schema = '', name = ''] = thing.split('.')
    return rights.map((right): Needed => ({ schema, name, right }))
  })
  const values = [schemas, ...NEEDED.values(needed)]
  const [row] = await tx.query<{ role: string; missing: string[] }>(READ_MISSING_RIGHTS, values)
  return (row?.missing ?? []).map((right) => `grant ${right} to ${quoted(row?.role ?? '')};`)
}

/** Throws with the GRANTs that are missing: half of a wallet that takes stakes and cannot pay must not start. */
export async function requireRights(db: Pick<Db, 'transaction'>, server: Server): Promise<void> {
  const missing = await missingRights(db, server)
  if (missing.length === 0) return
  throw new WrongUse(
    [
      `the role that the ${server} runs as lacks rights; the owner of the tables can give them:`,
      ...missing.map((grant) => `  ${grant}`),
      `or all that it needs: purser migrate --grant ${server}=ROLE`,
    ].join('\n'),
  )
}

/** For a command that reads a few tables of one schema: throws with the GRANTs that are missing, and with the other remedy. */
export async function requireReads(
  db: Pick<Db, 'snapshot'>,
  { schema, tables, otherwise }: { schema: string; tables: readonly string[]; otherwise: string },
): Promise<void> {
  const rightsOn = Object.fromEntries(tables.map((name) => [`${schema}.${name}`, READ]))
  const missing = await db.snapshot((tx) => missingOf(tx, [schema], rightsOn))
  if (missing.length === 0) return
  throw new WrongUse(
    [
      'the role lacks rights to read; the owner of the tables can give them:',
      ...missing.map((grant) => `  ${grant}`),
      otherwise,
    ].join('\n'),
  )
}
