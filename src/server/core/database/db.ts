/**
 * What the rest of the code knows of the database: named statements, transactions, nothing of drivers. The SQL word
 * "rollback" stays in this folder; outside it means the interface's operation.
 */

import type { PoolStatistics } from './postgres/pool-metrics.ts'

/** One SQL statement. The name makes it a prepared statement: parsed once per connection. */
export interface Statement {
  readonly name: string
  readonly text: string
  /** What Citus is sent in its place, with the same values and the same answer: where it does not take the text (citus.ts). */
  readonly onCitus?: string
  /** The same of one that inserts rows, when they are few (row-mapping.ts). */
  readonly fewOnCitus?: SmallBatchVariant
}

export type SmallBatchVariant = (values: readonly unknown[]) => Statement | undefined

export type Row = Record<string, unknown>

/** Who can be asked. */
export interface Queryable {
  query<R extends Row = Row>(statement: Statement, values?: readonly unknown[]): Promise<R[]>
}

/** An open transaction. Statements sent without awaiting each other go out in one round trip and run in order. */
export interface Tx extends Queryable {
  /** For statements that write: resolves to the number of rows written. */
  execute(statement: Statement, values: readonly unknown[]): Promise<number>
  /**
   * Sends the last statements of the transaction with COMMIT right behind them, in one round trip. They must make wrong
   * data an error in SQL: once they are sent, nothing but an error keeps them from being committed.
   */
  finish<T>(send: () => Promise<T>): Promise<T>
}

/** Transactions one after another on a connection of their own, which nobody else can take. */
export interface Lane {
  readonly transaction: Db['transaction']
  /**
   * Only on Citus: statements that are transactions of their own, in one round trip, durable when the promise resolves; it rejects when one has
   * failed, or is not answered. Outside a transaction Citus leaves a call of a function to the worker that has its rows.
   */
  readonly alone?: <R extends Row = Row>(statements: readonly BoundStatement[]) => Promise<R[][]>
}

export type BoundStatement = readonly [statement: Statement, values: readonly unknown[]]

export interface Db extends Queryable {
  readonly kind: 'postgres' | 'citus' | 'pglite'
  /** Runs `work` in one transaction: committed (durably) when the promise resolves, undone when `work` throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The same, with the time that its statements need: of an owner's command. What others wait for is bounded by its first statement (below). */
  longTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  openLane(): Lane
  /** Reads from one unchanging snapshot of the whole database: for audits. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** A snapshot for sums that people ask for: no audit stands before it, and the server ends what takes it too long. */
  sums: Db['snapshot']
  /** One statement on its own, for reading what a call needs. */
  query: Queryable['query']
  /** For what people ask: it takes no connection from the calls, and the server ends what takes it too long. */
  readonly people: Queryable
  /** Several statements as text, in one transaction; for migrations only. */
  script<T>(work: (run: (sql: string) => Promise<Row[]>) => Promise<T>): Promise<T>
  /** Of the embedded database none: it has one connection, in this process. */
  pools(): readonly PoolStatistics[]
  close(): Promise<void>
}

/** Bytes of a statement's name. Postgres cuts a longer one, and two statements would silently be one. */
export const MAX_STATEMENT_NAME_BYTES = 63

export function statement(name: string, text: string, onCitus?: string, fewOnCitus?: SmallBatchVariant): Statement {
  if (name.length > MAX_STATEMENT_NAME_BYTES)
    throw new Error(`the name of a statement is longer than ${MAX_STATEMENT_NAME_BYTES}: ${name}`)
  return { name, text, ...(onCitus !== undefined && { onCitus }), ...(fewOnCitus !== undefined && { fewOnCitus }) }
}

/**
 * What every transaction runs under, and every statement that reads. They touch few rows through an index, so an index and a
 * nested loop are right whatever the statistics say: on fresh, unanalysed tables Postgres plans `= any($1)` as a sequential
 * scan, and a plan made while a table was small is kept when it has grown.
 */
const GENERIC_PLAN = 'plan_cache_mode = force_generic_plan'
/** Up to Postgres 17 a plan that has no other way than one that is off seems so dear that it would be compiled, which takes 100 ms each time. */
const NO_JIT = 'jit = off'
const INDEX_PLAN_SETTINGS = [
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  NO_JIT,
  GENERIC_PLAN,
]
/**
 * The time-outs keep a stuck lock inside the platform's 5 s, and a process that is frozen or cut off from holding its
 * players' locks.
 */
const HOT_SETTINGS = [
  ...INDEX_PLAN_SETTINGS,
  ...["lock_timeout = '500ms'", "statement_timeout = '2s'", "idle_in_transaction_session_timeout = '5s'"],
]
/** A list is in the order of its index; a plan that sorts what a bitmap found has read all of the list. */
const NO_BITMAP = 'enable_bitmapscan = off'
const PEOPLE_SETTINGS = [...INDEX_PLAN_SETTINGS, NO_BITMAP, "statement_timeout = '3s'"]

/** As `Db.people` is planned, for one transaction of `Db.sums`: its first statement. */
export const INDEX_PLANS_ONLY = statement(
  'by_index_here',
  `select ${[...INDEX_PLAN_SETTINGS, NO_BITMAP].map(toSetConfig).join(', ')}`,
  `select ${[...INDEX_PLAN_SETTINGS, NO_BITMAP]
    .filter((setting) => setting !== GENERIC_PLAN)
    .map(toSetConfig)
    .join(', ')}`,
)

/**
 * For a slice of an audit, its first statement: the rows of a slice are found by an index, and then read as a whole. Postgres does not know
 * how few they are; a nested loop would compare each with each. The memory keeps most slices out of temporary files.
 */
export const AUDIT_CHUNK_SETTINGS = statement(
  'slice_of_audit',
  `select ${['enable_seqscan = off', 'enable_nestloop = off', NO_JIT, 'plan_cache_mode = force_custom_plan', 'work_mem = 32MB'].map(toSetConfig).join(', ')}`,
)

/**
 * For a slice of what is moved, its first statement: found by an index as in `INDEX_PLAN_SETTINGS`,
 * and planned for the end of this slice.
 */
export const RELOCATION_CHUNK_SETTINGS = statement(
  'slice_of_move',
  `select ${['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off', NO_JIT, 'plan_cache_mode = force_custom_plan'].map(toSetConfig).join(', ')}`,
)

/**
 * For `Db.longTransaction`: the first statement of a transaction that locks what others may wait for. A slice of many rows takes less than the first; all
 * rows of one person, in one transaction, can take more.
 */
export const STATEMENT_TIMEOUT_SECONDS = statement(
  'within_seconds',
  `select ${toSetConfig("statement_timeout = '30s'")}`,
)
export const STATEMENT_TIMEOUT_MINUTES = statement(
  'within_minutes',
  `select ${toSetConfig("statement_timeout = '5min'")}`,
)

/** Of `Db.longTransaction`: a process that is frozen or cut off lets go of what it has locked. */
export const BEGIN_LONG_TRANSACTION = "begin; set local idle_in_transaction_session_timeout = '5s'"

function toSetConfig(setting: string): string {
  const [name, value = ''] = setting.split(' = ')
  return `set_config('${name}', '${value.replaceAll("'", '')}', true)`
}

/** Of `Db.sums`, which may read whole days. */
export const SUMS_SETTINGS_SQL = "set statement_timeout = '30s'"

/**
 * On Citus the workers have settings of their own, which a connection hears of only in a transaction (`set local`): with its BEGIN, so that no
 * further round trip is made. No plan is forced there: Citus finds the shard by the values, and refuses a plan that has none.
 */
export const BEGIN_ON_CITUS = `begin; ${HOT_SETTINGS.filter((setting) => setting !== GENERIC_PLAN)
  .map((setting) => `set local ${setting}`)
  .join('; ')}`

/**
 * Once for each connection, behind its other settings; does nothing on a Postgres without Citus. The last one gives a transaction one connection
 * to each worker, and so one snapshot of it.
 */
export const CITUS_SESSION_SQL = `select set_config('plan_cache_mode', 'auto', false), set_config('citus.propagate_set_commands', 'local', false),
  set_config('citus.max_adaptive_executor_pool_size', '1', false) from pg_catalog.pg_extension where extname = 'citus'`

/** As SQL: for one transaction, or once for a connection that does nothing else. */
export function hotSettingsSql(scope: 'local' | 'session'): string {
  return toSetSql(HOT_SETTINGS, scope)
}

/**
 * The same for the embedded database, which gets no time-outs. It has one connection, so nobody waits for its locks, and it cannot end that:
 * when a transaction was silent for too long, because the process was stopped and continued, it never returned, and the process hung.
 */
export function embeddedSettingsSql(scope: 'local' | 'session'): string {
  return toSetSql(INDEX_PLAN_SETTINGS, scope)
}

/** As SQL, once for a connection of `Db.people`. */
export const PEOPLE_SETTINGS_SQL = toSetSql(PEOPLE_SETTINGS, 'session')

function toSetSql(settings: readonly string[], scope: 'local' | 'session'): string {
  return settings.map((setting) => `set ${scope} ${setting}`).join('; ')
}

export const SNAPSHOT_ISOLATION = 'isolation level repeatable read read only'
