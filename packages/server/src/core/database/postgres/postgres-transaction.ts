/**
 * A transaction on a connection of `pg`: BEGIN is sent with the first statements, COMMIT with the
 * last.
 *
 * Invariant: a connection whose transaction has an unknown outcome is not used again.
 */
import type pg from 'pg'
import { NotDurableError } from '../database-errors.ts'
import type { Statement, Tx } from '../db.ts'
import { adviseOnDuplicateNumber } from '../schema/sequence-repair.ts'
import { findUnreplicatedCommit } from './durability.ts'

/** Milliseconds for the answer to a rollback. Without an answer the connection is closed. */
const ROLLBACK_TIMEOUT_MS = 2_300

export interface Connection {
  readonly client: pg.PoolClient
  /** The reason why the connection must not be used again. */
  broken?: Error | undefined
}

export interface TransactionOptions {
  readonly begin: string
  /** Milliseconds for the answer to each statement; 0 means no limit. */
  readonly timeoutMs: number
  /** Statements are sent with their text for Citus if they have one. */
  readonly onCitus: boolean
  /** Throws NotDurableError while no transaction may begin. */
  requireDurable(): void
}

interface TransactionState {
  /** In the order in which the server reports them: the first one caused the others. */
  readonly errors: unknown[]
  /** Set when BEGIN is sent, before the first statement. Never rejects. */
  beginning?: Promise<void>
  /** BEGIN failed. A further statement would run outside a transaction, so none follows. */
  lost: boolean
  /** Set when COMMIT is sent, after the last statements. */
  committing?: Promise<unknown>
  /** The server has reported the outcome. */
  over: boolean
}

/** Waits for the answers to all sent statements, even after an error. */
export async function runTransaction<T>(
  connection: Connection,
  options: TransactionOptions,
  work: (tx: Tx, script: ScriptRunner) => Promise<T>,
): Promise<T> {
  const state: TransactionState = { errors: [], lost: false, over: false }
  try {
    options.requireDurable()
    const tx = createTx(connection, options, state)
    const [worked] = await Promise.allSettled([work(tx, createScriptRunner(connection, options, state))])
    const [ended] = await Promise.allSettled([state.committing, state.beginning])
    if (state.errors.length > 0) throw state.errors[0]
    if (worked.status === 'rejected') throw worked.reason
    if (ended.status === 'rejected') throw ended.reason
    if (state.beginning && !state.committing) await commit(connection, options.timeoutMs, state)
    return worked.value
  } catch (error) {
    if (!state.over) await abortTransaction(connection, state)
    adviseOnDuplicateNumber(error)
    throw error
  }
}

/** The text may hold several statements. */
export type ScriptRunner = (sql: string) => Promise<pg.QueryResult | pg.QueryResult[]>

function createScriptRunner(
  connection: Connection,
  options: TransactionOptions,
  state: TransactionState,
): ScriptRunner {
  return async (sql) => {
    beginTransaction(connection, options, state)
    await state.beginning
    if (state.lost) throw new Error('the transaction has not begun')
    return connection.client.query(sql)
  }
}

/** Sent with the first statement, so a transaction without statements sends nothing. */
function beginTransaction(connection: Connection, options: TransactionOptions, state: TransactionState): void {
  state.beginning ??= connection.client
    .query({ text: options.begin, query_timeout: options.timeoutMs } as pg.QueryConfig)
    .then(
      () => {},
      (error: unknown) => {
        state.lost = true
        connection.broken = new Error('BEGIN failed')
        state.errors.unshift(error)
      },
    )
}

function createTx(connection: Connection, options: TransactionOptions, state: TransactionState): Tx {
  const { client } = connection
  const { timeoutMs, onCitus } = options
  const send = async (statement: Statement, values: readonly unknown[] | undefined) => {
    if (state.lost) throw new Error('the transaction has not begun')
    if (state.committing) throw new Error('the transaction has its last statement already')
    beginTransaction(connection, options, state)
    try {
      return await client.query(toQueryConfig(statement, values, timeoutMs, onCitus))
    } catch (error) {
      state.errors.push(error)
      throw error
    }
  }
  return {
    query: async (statement, values) => (await send(statement, values)).rows as never,
    execute: async (statement, values) => (await send(statement, values)).rowCount ?? 0,
    finish: (sendLast) => {
      const sent = sendLast()
      if (state.beginning && !state.lost) state.committing = deferRejection(commit(connection, timeoutMs, state))
      return sent
    },
  }
}

/** The rejection is handled when the work has ended, and must not count as unhandled before. */
function deferRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/**
 * After a failed statement, COMMIT answers ROLLBACK without an error, which must not count as
 * success.
 */
async function commit(connection: Connection, timeoutMs: number, state: TransactionState): Promise<void> {
  const { command } = await connection.client.query({ text: 'commit', query_timeout: timeoutMs } as pg.QueryConfig)
  acknowledge(connection, state)
  if (command !== 'COMMIT') throw new Error('the transaction was not committed')
}

/** A commit that may not be replicated has an unknown outcome, so its transaction is not over. */
function acknowledge(connection: Connection, state: TransactionState): void {
  connection.broken ??= findUnreplicatedCommit(connection.client)
  if (connection.broken instanceof NotDurableError) throw connection.broken
  state.over = true
}

/** The outcome of a COMMIT without an answer is unknown. */
async function abortTransaction(connection: Connection, { beginning, committing }: TransactionState): Promise<void> {
  if (committing !== undefined) connection.broken ??= new Error('a COMMIT failed')
  else if (beginning !== undefined) connection.broken ??= await rollBack(connection.client)
}

/** Resolves to the error if the connection is unusable. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query({ text: 'rollback', query_timeout: ROLLBACK_TIMEOUT_MS } as pg.QueryConfig)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('the connection is broken')
  }
}

/**
 * `timeoutMs` 0 means no limit. A statement that exceeds it closes its connection: its effect is
 * unknown.
 */
export function toQueryConfig(
  statement: Statement,
  values: readonly unknown[] = [],
  timeoutMs: number,
  isCitus: boolean,
): pg.QueryConfig {
  const { name, text, onCitus } = (isCitus && statement.fewOnCitus?.(values)) || statement
  return {
    name,
    text: isCitus ? (onCitus ?? text) : text,
    values: values.map(toParameter),
    query_timeout: timeoutMs,
  } as pg.QueryConfig
}

/** Array literals. `pg` would escape each element twice, though nearly none needs it. */
function toParameter(value: unknown): unknown {
  if (value instanceof Int32Array) return encodeInt4Array(value)
  return Array.isArray(value) ? `{${value.map(escapeArrayElement).join(',')}}` : value
}

const INT4 = 23
const INT4_BYTES = 4

/** `int[]` in the binary format, which saves both sides the texts of hundreds of numbers. */
function encodeInt4Array(numbers: Int32Array): Buffer {
  // Dimensions, nulls and type; for a non-empty array also its length and 1, the lower bound.
  const words = numbers.length === 0 ? [0, 0, INT4] : [1, 0, INT4, numbers.length, 1]
  const bytes = Buffer.allocUnsafe((words.length + 2 * numbers.length) * INT4_BYTES)
  let at = 0
  for (const word of words) at = bytes.writeInt32BE(word, at)
  for (const number of numbers) at = bytes.writeInt32BE(number, bytes.writeInt32BE(INT4_BYTES, at))
  return bytes
}

const TO_ESCAPE = /["\\]/
/** Characters that JSON escapes and that an array accepts unescaped. */
const ESCAPED_ONLY_IN_JSON = /[^ -\ud7ff\ue000-\uffff]/

/** JSON escapes the other characters as an array does, and far faster than a replacement. */
function escapeArrayElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value !== 'string') return String(value)
  if (!TO_ESCAPE.test(value)) return `"${value}"`
  return ESCAPED_ONLY_IN_JSON.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : JSON.stringify(value)
}
