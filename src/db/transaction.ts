/** One transaction on one connection of `pg`: BEGIN with the first statements, COMMIT behind the last ones, and what remains of a failure. */
import type pg from 'pg'
import { explainTakenNumber } from './counters.ts'
import type { Statement, Tx } from './db.ts'
import { doubtOf } from './durability.ts'
import { NotDurable } from './errors.ts'

/** Milliseconds for the answer to a rollback; without one the connection is given up. */
const UNDO_TIMEOUT_MS = 2_300

export interface Connection {
  readonly client: pg.PoolClient
  /** Why it must not be used again. */
  broken?: Error | undefined
}

export interface Manner {
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
interface Course {
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
  manner: Manner,
  work: (tx: Tx, script: Script) => Promise<T>,
): Promise<T> {
  const course: Course = { errors: [], lost: false, over: false }
  try {
    manner.requireDurable()
    const tx = txOn(connection, manner, course)
    const [worked] = await Promise.allSettled([work(tx, scriptOn(connection, manner, course))])
    const [ended] = await Promise.allSettled([course.committing, course.beginning])
    if (course.errors.length > 0) throw course.errors[0]
    if (worked.status === 'rejected') throw worked.reason
    if (ended.status === 'rejected') throw ended.reason
    if (course.beginning && !course.committing) await commit(connection, manner.timeoutMs, course)
    return worked.value
  } catch (error) {
    if (!course.over) await giveUp(connection, course)
    explainTakenNumber(error)
    throw error
  }
}

/** Several statements as text, in the transaction. */
export type Script = (sql: string) => Promise<pg.QueryResult | pg.QueryResult[]>

function scriptOn(connection: Connection, manner: Manner, course: Course): Script {
  return async (sql) => {
    begin(connection, manner, course)
    await course.beginning
    if (course.lost) throw new Error('the transaction has not begun')
    return connection.client.query(sql)
  }
}

/** In front of the first statement, so that a transaction that asks for nothing sends nothing. */
function begin(connection: Connection, manner: Manner, course: Course): void {
  course.beginning ??= connection.client
    .query({ text: manner.begin, query_timeout: manner.timeoutMs } as pg.QueryConfig)
    .then(
      () => {},
      (error: unknown) => {
        course.lost = true
        connection.broken = new Error('BEGIN failed')
        course.errors.unshift(error)
      },
    )
}

function txOn(connection: Connection, manner: Manner, course: Course): Tx {
  const { client } = connection
  const { timeoutMs, onCitus } = manner
  const send = async (statement: Statement, values: readonly unknown[] | undefined) => {
    if (course.lost) throw new Error('the transaction has not begun')
    if (course.committing) throw new Error('the transaction has its last statement already')
    begin(connection, manner, course)
    try {
      return await client.query(prepared(statement, values, timeoutMs, onCitus))
    } catch (error) {
      course.errors.push(error)
      throw error
    }
  }
  return {
    query: async (statement, values) => (await send(statement, values)).rows as never,
    execute: async (statement, values) => (await send(statement, values)).rowCount ?? 0,
    finish: (sendLast) => {
      const sent = sendLast()
      if (course.beginning && !course.lost) course.committing = seenLater(commit(connection, timeoutMs, course))
      return sent
    },
  }
}

/** Looked at when the work has ended; until then a failure must not count as unhandled. */
function seenLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/** A COMMIT after a failed statement answers ROLLBACK without an error; that must not pass for success. */
async function commit(connection: Connection, timeoutMs: number, course: Course): Promise<void> {
  const { command } = await connection.client.query({ text: 'commit', query_timeout: timeoutMs } as pg.QueryConfig)
  acknowledge(connection, course)
  if (command !== 'COMMIT') throw new Error('the transaction was not committed')
}

/** The server has answered. What may not be replicated may be there or not: such a transaction is not over. */
function acknowledge(connection: Connection, course: Course): void {
  connection.broken ??= doubtOf(connection.client)
  if (connection.broken instanceof NotDurable) throw connection.broken
  course.over = true
}

/** Without an answer to a COMMIT nobody knows whether the transaction has ended: such a connection is not used again. */
async function giveUp(connection: Connection, { beginning, committing }: Course): Promise<void> {
  if (committing !== undefined) connection.broken ??= new Error('a COMMIT failed')
  else if (beginning !== undefined) connection.broken ??= await undo(connection.client)
}

/** The error, if the connection cannot be used any more. */
async function undo(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query({ text: 'rollback', query_timeout: UNDO_TIMEOUT_MS } as pg.QueryConfig)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('the connection is broken')
  }
}

/** `timeoutMs` 0 waits for ever. A statement that runs out of time closes its connection: nobody knows what it did. */
export function prepared(
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
  if (value instanceof Int32Array) return toBinary(value)
  return Array.isArray(value) ? `{${value.map(toElement).join(',')}}` : value
}

const INT4 = 23
const INT4_BYTES = 4

/** `int[]` as Postgres sends it: both sides spare writing and reading hundreds of numbers as text. */
function toBinary(numbers: Int32Array): Buffer {
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
const SPELT_IN_JSON = /[^ -\ud7ff\ue000-\uffff]/

/** Within quotes JSON escapes just as an array does, and far faster than a replacement, but for those characters. */
function toElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value !== 'string') return String(value)
  if (!TO_ESCAPE.test(value)) return `"${value}"`
  return SPELT_IN_JSON.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : JSON.stringify(value)
}
