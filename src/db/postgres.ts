/** The Db on a Postgres server, through `pg` pools: one for what changes money, a small one for reading, one connection for audits. */
import { Socket } from 'node:net'
import pg from 'pg'
import { type Db, hotSettings, type Row, SNAPSHOT, type Statement, type Tx } from './db.ts'

/** Transactions at once from one process: the lanes (wallet.ts) and the operator's changes. */
export const POOL_SIZE = 24
/** Reads at once; they cannot take the connections of the calls that move money. */
const READ_POOL_SIZE = 6
/**
 * Milliseconds for a connection, and for the answer to a hot statement; a connection that stays silent (its host is gone)
 * is given up. A call can meet silence twice, in the batch before its own and in its own, and twice this is less than
 * the 5 s of the platform.
 */
const CONNECT_TIMEOUT_MS = 2_300
const HOT_TIMEOUT_MS = 2_300
/** Milliseconds for the answer to a read on its own; without it a silent connection would never come back to the pool. */
const READ_TIMEOUT_MS = 4_000
/** Milliseconds of silence before the system asks whether the other side is still there: for audits, which may take long. */
const KEEP_ALIVE_MS = 10_000
/** Milliseconds that a close waits for statements under way and for the server's goodbye. */
const CLOSE_GRACE_MS = 1_000
const INT8 = 20
const INT8_ARRAY = 1016

/** Connects; throws if the server would acknowledge commits before they are durable. */
export async function openPostgres(url: string): Promise<Db> {
  const sockets = new Set<Socket>()
  const hot = createPool(url, POOL_SIZE, sockets, setHot)
  const [read, slow] = [createPool(url, READ_POOL_SIZE, sockets), createPool(url, 1, sockets)]
  const close = () => closePools([hot, read, slow], sockets)
  try {
    await refuseUnsafeServer(slow)
  } catch (error) {
    await close()
    throw error
  }
  return {
    kind: 'postgres',
    transaction: (work) =>
      inTransaction(hot, BEGIN_HOT, HOT_TIMEOUT_MS, (client, course) => work(txOn(client, HOT_TIMEOUT_MS, course))),
    snapshot: (work) => inTransaction(slow, `begin ${SNAPSHOT}`, 0, (client, course) => work(txOn(client, 0, course))),
    query: (statement, values) => run(read, prepared(statement, values, READ_TIMEOUT_MS)) as Promise<never>,
    script: (work) => inTransaction(slow, 'begin', 0, (client) => work(async (sql) => rowsOf(await client.query(sql)))),
    close,
  }
}

const BEGIN_HOT = 'begin isolation level read committed'

/** Once per connection: with every BEGIN, the settings would cost as much as a statement of the batch. */
async function setHot(client: pg.ClientBase): Promise<void> {
  await client.query({ text: hotSettings('session'), query_timeout: HOT_TIMEOUT_MS } as pg.QueryConfig)
}

function createPool(
  url: string,
  max: number,
  sockets: Set<Socket>,
  onConnect?: (client: pg.ClientBase) => Promise<void>,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    stream: () => coalescing(keptIn(sockets, new Socket())),
    pipeline: true,
    types: { getTypeParser: parserOf },
    application_name: 'purser',
    ...(onConnect && { onConnect }),
  } as pg.PoolConfig)
  // A connection that dies makes its queries fail; the event beside that would end the process if nobody took it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function keptIn(sockets: Set<Socket>, socket: Socket): Socket {
  sockets.add(socket)
  return socket.once('close', () => sockets.delete(socket))
}

/** What is written in one turn leaves in one piece: `pg` writes each statement on its own, and every write costs both sides a system call. */
function coalescing(socket: Socket): Socket {
  const write = socket.write.bind(socket) as typeof socket.write
  let isCorked = false
  socket.write = ((...args: Parameters<typeof write>) => {
    if (!isCorked) {
      isCorked = true
      socket.cork()
      process.nextTick(() => {
        isCorked = false
        socket.uncork()
      })
    }
    return write(...args)
  }) as typeof socket.write
  return socket
}

/** A pool's end leaves the goodbyes to the other side; from a silent one none comes, and the process would never end. */
async function closePools(pools: readonly pg.Pool[], sockets: Set<Socket>): Promise<void> {
  const force = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), CLOSE_GRACE_MS)
  await Promise.all(pools.map((pool) => pool.end()))
  await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  clearTimeout(force)
}

function parserOf(oid: number, format?: 'text' | 'binary') {
  if (format !== 'binary' && oid === INT8) return BigInt
  if (format !== 'binary' && oid === INT8_ARRAY)
    return (text: string) => text.slice(1, -1).split(',').filter(Boolean).map(BigInt)
  return pg.types.getTypeParser(oid, format as 'text')
}

/** No call is answered 200 before its commit is durable: these settings would break that silently. */
async function refuseUnsafeServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync",
  )
  const { fsync, sync } = rows[0] as { fsync: string; sync: string }
  if (fsync === 'on' && sync !== 'off') return
  throw new Error(
    `the Postgres server has fsync=${fsync} and synchronous_commit=${sync}: an answered bet could be lost in a crash`,
  )
}

/** `timeoutMs` 0 waits for ever. A statement that runs out of time closes its connection: nobody knows what it did. */
function prepared({ name, text }: Statement, values: readonly unknown[] = [], timeoutMs: number): pg.QueryConfig {
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

async function run(client: pg.Pool | pg.PoolClient, query: pg.QueryConfig): Promise<Row[]> {
  return (await client.query(query)).rows
}

/** What is known of a transaction while it runs. */
interface Course {
  /** In the order in which the server reports them: the first one is the cause of the others. */
  readonly errors: unknown[]
  /** BEGIN failed: nothing more may be sent, it would run outside a transaction. */
  lost: boolean
  /** COMMIT is on its way, behind the last statements. */
  committing?: Promise<void>
}

function txOn(client: pg.PoolClient, timeoutMs: number, course: Course): Tx {
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
    query: async (statement, values) => (await send(statement, values)).rows as never,
    execute: async (statement, values) => (await send(statement, values)).rowCount ?? 0,
    finish: (sendLast) => {
      const sent = sendLast()
      if (!course.lost) {
        course.committing = commit(client, timeoutMs)
        course.committing.catch(() => {}) // looked at when the work has ended; until then a failure must not count as unhandled
      }
      return sent
    },
  }
}

/** BEGIN travels with the first statements of `work`. Whatever fails, everything that was sent is waited for. */
async function inTransaction<T>(
  pool: pg.Pool,
  begin: string,
  timeoutMs: number,
  work: (client: pg.PoolClient, course: Course) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  const course: Course = { errors: [], lost: false }
  let broken: Error | undefined
  try {
    const beginning = client
      .query({ text: begin, query_timeout: timeoutMs } as pg.QueryConfig)
      .catch((error: unknown) => {
        course.lost = true
        broken = new Error('BEGIN failed')
        course.errors.unshift(error)
      })
    const [worked] = await Promise.allSettled([work(client, course), beginning])
    const [ended] = await Promise.allSettled([course.committing])
    if (course.errors.length > 0) throw course.errors[0]
    if (worked.status === 'rejected') throw worked.reason
    if (ended.status === 'rejected') throw ended.reason
    if (course.committing === undefined) await commit(client, timeoutMs)
    return worked.value
  } catch (error) {
    broken ??= await undo(client)
    throw error
  } finally {
    client.release(broken)
  }
}

/** A COMMIT after a failed statement answers ROLLBACK without an error; that must not pass for success. */
async function commit(client: pg.PoolClient, timeoutMs: number): Promise<void> {
  const { command } = await client.query({ text: 'commit', query_timeout: timeoutMs } as pg.QueryConfig)
  if (command !== 'COMMIT') throw new Error('the transaction was not committed')
}

/** The error, if the connection cannot be used any more. */
async function undo(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query({ text: 'rollback', query_timeout: HOT_TIMEOUT_MS } as pg.QueryConfig)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('the connection is broken')
  }
}

/** pg answers several statements in one text with an array of results; only the last one's rows matter. */
function rowsOf(result: pg.QueryResult | pg.QueryResult[]): Row[] {
  return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows
}
