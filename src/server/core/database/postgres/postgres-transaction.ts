/** One transaction on one connection of `pg`: BEGIN with the first statements, COMMIT behind the last ones, and what remains of a failure. */
import type pg from 'pg'
import { NotDurableError } from '../database-errors.ts'
import type { Statement, Tx } from '../db.ts'
import { adviseOnDuplicateNumber } from '../schema/sequence-repair.ts'
import { findUnreplicatedCommit } from './durability.ts'

/** Milliseconds for the answer to a rollback; without one the connection is given up. */
const ROLLBACK_TIMEOUT_MS = 2_300

export interface Connection {
  readonly client: pg.PoolClient
  /** Why it must not be used again. */
  broken?: Error | undefined
}

export interface TransactionOptions {
  /** The statement that begins. */
  readonly begin: string
  /** Milliseconds for the answer to each statement; 0 waits for ever. */
  readonly timeoutMs: number
  /** Of each statement the text for Citus, where it has one. */
  readonly onCitus: boolean
  /** Throws when nothing may be begun. */
  requireDurable(): void
}

/** What is known of a transaction while it runs. */
interface TransactionState {
  /** In the order in which the server reports them: the first one is the cause of the others. */
  readonly errors: unknown[]
  /** BEGIN is on its way, in front of the first statement. Never rejects. */
  beginning?: Promise<void>
  /** BEGIN failed: nothing more may be sent, it would run outside a transaction. */
  lost: boolean
  /** COMMIT is on its way, behind the last statements. */
  committing?: Promise<unknown>
  /** The server has said what became of it: the transaction is over, one way or the other. */
  over: boolean
}

/** Whatever fails, everything that was sent is waited for. */
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

/** Several statements as text, in the transaction. */
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

/** In front of the first statement, so that a transaction that asks for nothing sends nothing. */
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

/** Looked at when the work has ended; until then a failure must not count as unhandled. */
function deferRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/** A COMMIT after a failed statement answers ROLLBACK without an error; that must not pass for success. */
async function commit(connection: Connection, timeoutMs: number, state: TransactionState): Promise<void> {
  const { command } = await connection.client.query({ text: 'commit', query_timeout: timeoutMs } as pg.QueryConfig)
  acknowledge(connection, state)
  if (command !== 'COMMIT') throw new Error('the transaction was not committed')
}

/** The server has answered. What may not be replicated may be there or not: such a transaction is not over. */
function acknowledge(connection: Connection, state: TransactionState): void {
  connection.broken ??= findUnreplicatedCommit(connection.client)
  if (connection.broken instanceof NotDurableError) throw connection.broken
  state.over = true
}

/** Without an answer to a COMMIT nobody knows whether the transaction has ended: such a connection is not used again. */
async function abortTransaction(connection: Connection, { beginning, committing }: TransactionState): Promise<void> {
  if (committing !== undefined) connection.broken ??= new Error('a COMMIT failed')
  else if (beginning !== undefined) connection.broken ??= await rollBack(connection.client)
}

/** The error, if the connection cannot be used any more. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query({ text: 'rollback', query_timeout: ROLLBACK_TIMEOUT_MS } as pg.QueryConfig)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('the connection is broken')
  }
}

/** `timeoutMs` 0 waits for ever. A statement that runs out of time closes its connection: nobody knows what it did. */
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

/** Arrays as Postgres writes them. `pg` would escape every element twice over; nearly none needs it. */
function toParameter(value: unknown): unknown {
  if (value instanceof Int32Array) return encodeInt4Array(value)
  return Array.isArray(value) ? `{${value.map(escapeArrayElement).join(',')}}` : value
}

const INT4 = 23
const INT4_BYTES = 4

/** `int[]` as Postgres sends it: both sides spare writing and reading hundreds of numbers as text. */
function encodeInt4Array(numbers: Int32Array): Buffer {
  // Dimensions, nulls, type; of an array that is not empty its length too, and 1, the first place.
  const words = numbers.length === 0 ? [0, 0, INT4] : [1, 0, INT4, numbers.length, 1]
  const bytes = Buffer.allocUnsafe((words.length + 2 * numbers.length) * INT4_BYTES)
  let at = 0
  for (const word of words) at = bytes.writeInt32BE(word, at)
  for (const number of numbers) at = bytes.writeInt32BE(number, bytes.writeInt32BE(INT4_BYTES, at))
  return bytes
}

const TO_ESCAPE = /["\\]/
/** Characters that JSON spells out where an array takes them as they are. */
const ESCAPED_ONLY_IN_JSON = /[^ -\ud7ff\ue000-\uffff]/

/** Within quotes JSON escapes just as an array does, and far faster than a replacement, but for those characters. */
function escapeArrayElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value !== 'string') return String(value)
  if (!TO_ESCAPE.test(value)) return `"${value}"`
  return ESCAPED_ONLY_IN_JSON.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : JSON.stringify(value)
}
