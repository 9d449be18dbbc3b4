/** One transaction on one connection of `pg`: BEGIN with the first statements, COMMIT behind the last ones, and what remains of a failure. */
import type pg from 'pg'
import type { Statement, Tx } from './db.ts'

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
}

/** What is known of a transaction while it runs. */
interface Course {
  /** In the order in which the server reports them: the first one is the cause of the others. */
  readonly errors: unknown[]
  /** BEGIN failed: nothing more may be sent, it would run outside a transaction. */
  lost: boolean
  /** COMMIT is on its way, behind the last statements. */
  committing?: Promise<void>
  /** COMMIT was answered: the transaction is over, one way or the other. */
  over: boolean
}

/**
 * Whatever fails, everything that was sent is waited for. `onSent` is called when nothing more will be sent, at the latest when
 * the promise settles; what is sent on the connection from then on runs after this transaction.
 */
export async function runTransaction<T>(
  connection: Connection,
  { begin, timeoutMs }: Manner,
  work: (tx: Tx, client: pg.PoolClient) => Promise<T>,
  onSent: () => void = () => {},
): Promise<T> {
  const { client } = connection
  const course: Course = { errors: [], lost: false, over: false }
  try {
    const beginning = client
      .query({ text: begin, query_timeout: timeoutMs } as pg.QueryConfig)
      .catch((error: unknown) => {
        course.lost = true
        connection.broken = new Error('BEGIN failed')
        course.errors.unshift(error)
      })
    const [worked] = await Promise.allSettled([work(txOn(client, timeoutMs, course, onSent), client), beginning])
    const [ended] = await Promise.allSettled([course.committing])
    if (course.errors.length > 0) throw course.errors[0]
    if (worked.status === 'rejected') throw worked.reason
    if (ended.status === 'rejected') throw ended.reason
    if (course.committing === undefined) await commit(client, timeoutMs, course)
    return worked.value
  } catch (error) {
    if (!course.over) await giveUp(connection, course)
    throw error
  }
}

function txOn(client: pg.PoolClient, timeoutMs: number, course: Course, onSent: () => void): Tx {
  const send = async (statement: Statement, values: readonly unknown[] | undefined) => {
    if (course.lost) throw new Error('the transaction has not begun')
    try {
      return await client.query(prepared(statement, values, timeoutMs))
    } catch (error) {
      course.errors.push(error)
      throw error
    }
  }
  return {
    connection: client,
    query: async (statement, values) => (await send(statement, values)).rows as never,
    execute: async (statement, values) => (await send(statement, values)).rowCount ?? 0,
    finish: (sendLast) => {
      const sent = sendLast()
      if (!course.lost) {
        course.committing = commit(client, timeoutMs, course)
        course.committing.catch(() => {}) // looked at when the work has ended; until then a failure must not count as unhandled
        onSent()
      }
      return sent
    },
  }
}

/** A COMMIT after a failed statement answers ROLLBACK without an error; that must not pass for success. */
async function commit(client: pg.PoolClient, timeoutMs: number, course: Course): Promise<void> {
  const { command } = await client.query({ text: 'commit', query_timeout: timeoutMs } as pg.QueryConfig)
  course.over = true
  if (command !== 'COMMIT') throw new Error('the transaction was not committed')
}

/** Behind a COMMIT the next transaction may be on its way already, which a rollback would end: such a connection is not used again. */
async function giveUp(connection: Connection, { committing }: Course): Promise<void> {
  if (committing !== undefined) connection.broken ??= new Error('a COMMIT failed')
  else connection.broken ??= await undo(connection.client)
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
  { name, text }: Statement,
  values: readonly unknown[] = [],
  timeoutMs: number,
): pg.QueryConfig {
  return { name, text, values: values.map(toParameter), query_timeout: timeoutMs } as pg.QueryConfig
}

/** Arrays as Postgres writes them. `pg` would escape every element twice over; nearly none needs it. */
function toParameter(value: unknown): unknown {
  return Array.isArray(value) ? `{${value.map(toElement).join(',')}}` : value
}

const TO_ESCAPE = /["\\]/

function toElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value !== 'string') return String(value)
  return TO_ESCAPE.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`
}
