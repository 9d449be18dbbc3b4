/**
 * Interface of the database for all other code: named statements and transactions, no drivers.
 *
 * Only this folder uses the SQL word "rollback". Elsewhere "rollback" is the call Rollback of the
 * partner wire.
 */

import type { PoolStatistics } from './postgres/pool-metrics.ts'

/**
 * An SQL statement. Its name makes it a prepared statement, which is parsed once per connection.
 */
export interface Statement {
  readonly name: string
  readonly text: string
  /** Replaces `text` on Citus where Citus rejects it (citus.ts). Values and rows are the same. */
  readonly onCitus?: string
  /** Replaces an insert of few rows on Citus (row-mapping.ts). */
  readonly fewOnCitus?: SmallBatchVariant
}

export type SmallBatchVariant = (values: readonly unknown[]) => Statement | undefined

export type Row = Record<string, unknown>

export interface Queryable {
  query<R extends Row = Row>(statement: Statement, values?: readonly unknown[]): Promise<R[]>
}

/**
 * An open transaction. Statements that are sent without awaiting each other share one round trip
 * and run in order.
 */
export interface Tx extends Queryable {
  /** Resolves to the number of rows written. */
  execute(statement: Statement, values: readonly unknown[]): Promise<number>
  /**
   * Sends the last statements and COMMIT in one round trip. The statements must turn wrong data
   * into an SQL error, because only an error prevents the commit.
   */
  finish<T>(send: () => Promise<T>): Promise<T>
}

/** One connection of its own, for one transaction at a time. */
export interface Lane {
  readonly transaction: Db['transaction']
  /**
   * Only on Citus: autocommit statements in one round trip. Resolves when all are durable, and
   * rejects when one fails or gets no answer. Outside a transaction, Citus runs a function on the
   * worker that has its rows.
   */
  readonly autocommit?: <R extends Row = Row>(statements: readonly BoundStatement[]) => Promise<R[][]>
}

export type BoundStatement = readonly [statement: Statement, values: readonly unknown[]]

export interface Db extends Queryable {
  readonly kind: 'postgres' | 'citus' | 'pglite'
  /** Resolves after the durable commit. Undoes all changes when `work` throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * For commands of the database's owner; statements have no time limit. A transaction that locks
   * rows of running calls sets a limit in its first statement (STATEMENT_TIMEOUT_SECONDS).
   */
  longTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  openLane(): Lane
  /** Read-only, for audits. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Read-only, for reports that users request. A report never waits for an audit, and the server
   * cancels slow statements.
   */
  reportSnapshot: Db['snapshot']
  /** For the reads of the platform's calls. */
  query: Queryable['query']
  /**
   * For the console and the APIs. These queries use no connection of the platform's calls, and the
   * server cancels slow queries.
   */
  readonly userQueries: Queryable
  /**
   * For migrations. `sql` may hold several statements; one transaction contains all calls of `run`.
   */
  script<T>(work: (run: (sql: string) => Promise<Row[]>) => Promise<T>): Promise<T>
  /** Empty for the embedded database, which has one connection in this process. */
  pools(): readonly PoolStatistics[]
  close(): Promise<void>
}

/** Bytes. Postgres cuts longer names, so two statements could silently become one. */
export const MAX_STATEMENT_NAME_BYTES = 63

export function statement(name: string, text: string, onCitus?: string, fewOnCitus?: SmallBatchVariant): Statement {
  if (name.length > MAX_STATEMENT_NAME_BYTES)
    throw new Error(`the name of a statement is longer than ${MAX_STATEMENT_NAME_BYTES}: ${name}`)
  return { name, text, ...(onCitus !== undefined && { onCitus }), ...(fewOnCitus !== undefined && { fewOnCitus }) }
}

const GENERIC_PLAN = 'plan_cache_mode = force_generic_plan'
/**
 * Up to Postgres 17, disabled scans make a plan seem so expensive that it is compiled, which takes
 * 100 ms each time.
 */
const NO_JIT = 'jit = off'
/**
 * For each transaction and each read. Statements touch few rows through an index, so index scans
 * and nested loops are right for any statistics. Otherwise Postgres plans `= any($1)` on a fresh
 * table as a sequential scan, and keeps the plan when the table grows.
 */
const INDEX_PLAN_SETTINGS = [
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  NO_JIT,
  GENERIC_PLAN,
]
/**
 * The timeouts limit a stuck lock to less than the platform's 5 s. They also release the locks of a
 * process that is frozen or cut off.
 */
const HOT_SETTINGS = [
  ...INDEX_PLAN_SETTINGS,
  ...["lock_timeout = '500ms'", "statement_timeout = '2s'", "idle_in_transaction_session_timeout = '5s'"],
]
/**
 * A list is read in the order of its index. A bitmap scan would read the whole list and sort it.
 */
const NO_BITMAP = 'enable_bitmapscan = off'
const USER_QUERY_SETTINGS = [...INDEX_PLAN_SETTINGS, NO_BITMAP, "statement_timeout = '3s'"]

/** The plan settings of `Db.userQueries`, as the first statement of a `Db.reportSnapshot`. */
export const INDEX_PLANS_ONLY = statement(
  'by_index_here',
  `select ${[...INDEX_PLAN_SETTINGS, NO_BITMAP].map(toSetConfig).join(', ')}`,
  `select ${[...INDEX_PLAN_SETTINGS, NO_BITMAP]
    .filter((setting) => setting !== GENERIC_PLAN)
    .map(toSetConfig)
    .join(', ')}`,
)

/**
 * First statement of an audit chunk. An index finds its rows, which are then joined as a whole.
 * Postgres cannot estimate how few they are, and a nested loop would compare each row with each.
 * `work_mem` keeps most chunks out of temporary files.
 */
export const AUDIT_CHUNK_SETTINGS = statement(
  'slice_of_audit',
  `select ${['enable_seqscan = off', 'enable_nestloop = off', NO_JIT, 'plan_cache_mode = force_custom_plan', 'work_mem = 32MB'].map(toSetConfig).join(', ')}`,
)

/**
 * First statement of a relocation chunk. Its rows are found by an index as with
 * `INDEX_PLAN_SETTINGS`, but Postgres plans each statement for its values.
 */
export const RELOCATION_CHUNK_SETTINGS = statement(
  'slice_of_move',
  `select ${['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off', NO_JIT, 'plan_cache_mode = force_custom_plan'].map(toSetConfig).join(', ')}`,
)

/**
 * First statements of a `Db.longTransaction` that locks rows which others need. A chunk of many
 * rows takes less than 30 s; all rows of one player in one transaction can take more.
 */
export const STATEMENT_TIMEOUT_SECONDS = statement(
  'within_seconds',
  `select ${toSetConfig("statement_timeout = '30s'")}`,
)
export const STATEMENT_TIMEOUT_MINUTES = statement(
  'within_minutes',
  `select ${toSetConfig("statement_timeout = '5min'")}`,
)

/** The timeout releases the locks of a process that is frozen or cut off. */
export const BEGIN_LONG_TRANSACTION = "begin; set local idle_in_transaction_session_timeout = '5s'"

function toSetConfig(setting: string): string {
  const [name, value = ''] = setting.split(' = ')
  return `set_config('${name}', '${value.replaceAll("'", '')}', true)`
}

/** For `Db.reportSnapshot`, which may read whole days. */
export const REPORT_SETTINGS_SQL = "set statement_timeout = '30s'"

/**
 * On Citus, settings reach the workers only in a transaction (`set local`), so they are sent with
 * BEGIN. The generic plan is not forced, because Citus finds the shard by the values.
 */
export const BEGIN_ON_CITUS = `begin; ${HOT_SETTINGS.filter((setting) => setting !== GENERIC_PLAN)
  .map((setting) => `set local ${setting}`)
  .join('; ')}`

/**
 * Sent once per connection, after its other settings; it has no effect without Citus. The pool size
 * of 1 gives a transaction one connection to each worker, and so one snapshot there.
 */
export const CITUS_SESSION_SQL = `select set_config('plan_cache_mode', 'auto', false), set_config('citus.propagate_set_commands', 'local', false),
  set_config('citus.max_adaptive_executor_pool_size', '1', false) from pg_catalog.pg_extension where extname = 'citus'`

/** The scope is one transaction, or a connection that runs only hot statements. */
export function hotSettingsSql(scope: 'local' | 'session'): string {
  return toSetSql(HOT_SETTINGS, scope)
}

/**
 * Settings of the embedded database, without timeouts. It has one connection, so no process waits
 * for its locks. PGlite cannot end an idle transaction either: such a transaction never returned,
 * and the process hung.
 */
export function embeddedSettingsSql(scope: 'local' | 'session'): string {
  return toSetSql(INDEX_PLAN_SETTINGS, scope)
}

/** Sent once per connection of `Db.userQueries`. */
export const USER_QUERY_SETTINGS_SQL = toSetSql(USER_QUERY_SETTINGS, 'session')

function toSetSql(settings: readonly string[], scope: 'local' | 'session'): string {
  return settings.map((setting) => `set ${scope} ${setting}`).join('; ')
}

export const SNAPSHOT_ISOLATION = 'isolation level repeatable read read only'
