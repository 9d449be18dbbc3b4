/**
 * `Db` on a Postgres server, through `pg` pools.
 *
 * - The bet calls of each lane have a pool, and the reads of calls share a small one.
 * - All other changes of money share one pool.
 * - API queries of users share one pool, and their reports another.
 * - Audits have a pool of their own.
 *
 * Invariant: no pool can use the connections of another one.
 */
import { Socket } from 'node:net'
import { environment } from '@purser/runtime/environment'
import pg from 'pg'
import {
  BEGIN_LONG_TRANSACTION,
  BEGIN_ON_CITUS,
  CITUS_SESSION_SQL,
  type Db,
  hotSettingsSql,
  REPORT_SETTINGS_SQL,
  type Row,
  SNAPSHOT_ISOLATION,
  type Tx,
  USER_QUERY_SETTINGS_SQL,
} from '../db.ts'
import { createAutocommit } from './autocommit.ts'
import {
  beginSession,
  type Durability,
  NO_DURABILITY_WATCH,
  refuseUnsafeServer,
  trackCommitWarnings,
  watchDurability,
} from './durability.ts'
import { sumPoolStatistics } from './pool-metrics.ts'
import { refuseTransactionPooling } from './pooler-check.ts'
import {
  type Connection,
  runTransaction,
  type ScriptRunner,
  type TransactionOptions,
  toQueryConfig,
} from './postgres-transaction.ts'
import { parsePostgresUrl } from './postgres-url.ts'
import { requireUtf8Encoding, TIME_TYPES, toStrictTimeParser } from './session-settings.ts'

/** A lane runs one batch at a time. */
const LANE_POOL_SIZE = 1
/** Connections for changes of the operator and of the platform. */
const POOL_SIZE = 24
/** Connections for the reads of calls. */
const READ_POOL_SIZE = 6
/** Connections for queries of users, and for their reports, which take seconds. */
const USER_QUERY_POOL_SIZE = 4
const REPORT_POOL_SIZE = 2
/** Connections for an audit, and for the daily close of a large day at the same time. */
const SLOW_POOL_SIZE = 2
/**
 * Milliseconds for a connection, and for the answer to a hot statement; after that the connection
 * is closed. A call can wait twice, for the batch before and for its own. Both together are shorter
 * than its limit (W-20).
 */
const CONNECT_TIMEOUT_MS = 2_300
const HOT_TIMEOUT_MS = 2_300
/**
 * Milliseconds for the answer to a read. Without a limit a silent connection would stay in use for
 * ever.
 */
const READ_TIMEOUT_MS = 4_000
/** Milliseconds. The server cancels reports earlier, so a slower connection is dead. */
const REPORT_TIMEOUT_MS = 32_000
/** Milliseconds of silence until TCP probes the server, for audits, which may take long. */
const KEEP_ALIVE_MS = 10_000
/** Milliseconds for running statements, and for the server to close its connections. */
const CLOSE_GRACE_MS = 1_000
const INT8 = 20
const INT8_ARRAY = 1016

export interface PostgresOptions {
  /** The simulator passes a function whose sockets hold back data. */
  readonly newSocket?: () => Socket
  readonly durability?: Durability | undefined
}

/** Throws if the server would acknowledge commits before they are durable. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Db> {
  const { newSocket = () => new Socket(), durability = 'server' } = options
  const sockets = new Set<Socket>()
  const poolSource = { url, durability, socket: () => trackSocket(sockets, newSocket()) }
  const lanes: pg.Pool[] = []
  const hot = createPool(poolSource, POOL_SIZE, applyHotSettings)
  const read = createPool(poolSource, READ_POOL_SIZE, applyReadSettings)
  const userQueries = createPool(poolSource, USER_QUERY_POOL_SIZE, applyUserQuerySettings)
  const reports = createPool(poolSource, REPORT_POOL_SIZE, applyReportSettings)
  const slow = createPool(poolSource, SLOW_POOL_SIZE, enableDisconnectCheck)
  const { requireDurable, stop } = durability === 'server' ? watchDurability(hot, HOT_TIMEOUT_MS) : NO_DURABILITY_WATCH
  const close = () => {
    stop()
    return closePools([...lanes, hot, read, userQueries, reports, slow], sockets)
  }
  let onCitus: boolean
  try {
    await refuseUnsafeServer(slow)
    await requireUtf8Encoding(slow)
    await refuseTransactionPooling(read)
    onCitus = await isCitus(slow)
  } catch (error) {
    await close()
    throw error
  }
  const hotOptions: TransactionOptions = {
    begin: onCitus ? BEGIN_ON_CITUS : 'begin',
    timeoutMs: HOT_TIMEOUT_MS,
    onCitus,
    requireDurable,
  }
  const slowOptions: TransactionOptions = { begin: 'begin', timeoutMs: 0, onCitus, requireDurable }
  return {
    kind: onCitus ? 'citus' : 'postgres',
    transaction: (work) => inTransaction(hot, hotOptions, work),
    longTransaction: (work) => inTransaction(slow, { ...slowOptions, begin: BEGIN_LONG_TRANSACTION }, work),
    openLane: () => {
      const pool = createPool(poolSource, LANE_POOL_SIZE, applyHotSettings)
      lanes.push(pool)
      return { transaction: (work) => inTransaction(pool, hotOptions, work), ...createAutocommit(pool, hotOptions) }
    },
    snapshot: (work) => inTransaction(slow, { ...slowOptions, begin: `begin ${SNAPSHOT_ISOLATION}` }, work),
    reportSnapshot: (work) =>
      inTransaction(
        reports,
        { ...slowOptions, timeoutMs: REPORT_TIMEOUT_MS, begin: `begin ${SNAPSHOT_ISOLATION}` },
        work,
      ),
    query: (statement, values) =>
      runQuery(read, toQueryConfig(statement, values, READ_TIMEOUT_MS, onCitus)) as Promise<never>,
    userQueries: {
      query: (statement, values) =>
        runQuery(userQueries, toQueryConfig(statement, values, READ_TIMEOUT_MS, onCitus)) as Promise<never>,
    },
    script: (work) =>
      inTransaction(slow, slowOptions, (_tx, script) => work(async (sql) => readLastRows(await script(sql)))),
    pools: () => [
      sumPoolStatistics('lanes', lanes),
      sumPoolStatistics('changes', [hot]),
      sumPoolStatistics('reads', [read]),
      sumPoolStatistics('people', [userQueries]),
      sumPoolStatistics('sums', [reports]),
      sumPoolStatistics('audit', [slow]),
    ],
    close,
  }
}

/** Citus is set up once for a database, so the result stays valid. */
async function isCitus(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query("select 1 from pg_catalog.pg_extension where extname = 'citus'")
  return rows.length > 0
}

/**
 * Sent once per connection. In every BEGIN, the settings would cost as much as a statement of the
 * batch.
 */
async function applyHotSettings(client: pg.ClientBase): Promise<void> {
  await client.query({ text: hotSettingsSql('session'), query_timeout: HOT_TIMEOUT_MS } as pg.QueryConfig)
}

/** Reads are planned like hot statements, and may wait for a lock as long as their caller waits. */
async function applyReadSettings(client: pg.ClientBase): Promise<void> {
  await applyHotSettings(client)
  const text = `set lock_timeout = 0; set statement_timeout = ${READ_TIMEOUT_MS}`
  await client.query({ text, query_timeout: HOT_TIMEOUT_MS } as pg.QueryConfig)
}

async function applyUserQuerySettings(client: pg.ClientBase): Promise<void> {
  await client.query({ text: USER_QUERY_SETTINGS_SQL, query_timeout: HOT_TIMEOUT_MS } as pg.QueryConfig)
  await enableDisconnectCheck(client)
}

async function applyReportSettings(client: pg.ClientBase): Promise<void> {
  await client.query({ text: REPORT_SETTINGS_SQL, query_timeout: HOT_TIMEOUT_MS } as pg.QueryConfig)
  await enableDisconnectCheck(client)
}

/**
 * The server checks each second that the client is connected, or cancels the statement. Some
 * systems refuse the setting.
 */
async function enableDisconnectCheck(client: pg.ClientBase): Promise<void> {
  const text = "set client_connection_check_interval = '1s'"
  await client.query({ text, query_timeout: HOT_TIMEOUT_MS } as pg.QueryConfig).catch(() => {})
}

interface PoolSource {
  readonly url: string
  readonly durability: Durability
  readonly socket: () => Socket
}

function createPool(
  { url, durability, socket }: PoolSource,
  max: number,
  prepare: (client: pg.ClientBase) => Promise<void> = async () => {},
): pg.Pool {
  const pool = new pg.Pool({
    ...parsePostgresUrl(url),
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    stream: socket,
    pipeline: true,
    types: { getTypeParser: selectTypeParser },
    onConnect: async (client) => {
      await beginSession(client, HOT_TIMEOUT_MS, durability)
      await prepare(client)
      await client.query({ text: CITUS_SESSION_SQL, query_timeout: HOT_TIMEOUT_MS } as pg.QueryConfig)
    },
  } as pg.PoolConfig)
  // The queries of a lost connection fail anyway. This event would end the process if it had no
  // listener.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    trackCommitWarnings(client)
    coalesceStreamWrites(readStream(client))
  })
  return pool
}

function trackSocket(sockets: Set<Socket>, socket: Socket): Socket {
  sockets.add(socket)
  return socket.once('close', () => sockets.delete(socket))
}

/**
 * Not in the types of `pg`, but always present. With TLS the stream replaces the socket that was
 * connected.
 */
function readStream(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/**
 * Combines the writes of one turn: `pg` writes each statement alone, and each write costs both
 * sides a system call. The stream must be connected, because connecting restores the original
 * `write`.
 */
function coalesceStreamWrites(stream: Socket): void {
  const write = stream.write.bind(stream) as typeof stream.write
  let isCorked = false
  stream.write = ((...args: Parameters<typeof write>) => {
    if (!isCorked) {
      isCorked = true
      stream.cork()
      process.nextTick(() => {
        isCorked = false
        stream.uncork()
      })
    }
    return write(...args)
  }) as typeof stream.write
}

/**
 * A pool ends when the server closes its connections. With a silent server the process would never
 * end.
 */
async function closePools(pools: readonly pg.Pool[], sockets: Set<Socket>): Promise<void> {
  const cancel = environment.setTimer(CLOSE_GRACE_MS, () => sockets.forEach((socket) => void socket.destroy()))
  await Promise.all(pools.map((pool) => pool.end()))
  await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  cancel()
}

function selectTypeParser(oid: number, format?: 'text' | 'binary') {
  if (format !== 'binary' && oid === INT8) return BigInt
  if (format !== 'binary' && oid === INT8_ARRAY)
    return (text: string) => text.slice(1, -1).split(',').filter(Boolean).map(BigInt)
  const parser = pg.types.getTypeParser(oid, format as 'text')
  return format !== 'binary' && TIME_TYPES.has(oid) ? toStrictTimeParser(parser) : parser
}

async function runQuery(pool: pg.Pool, query: pg.QueryConfig): Promise<Row[]> {
  return (await pool.query(query)).rows
}

async function inTransaction<T>(
  pool: pg.Pool,
  transactionOptions: TransactionOptions,
  work: (tx: Tx, script: ScriptRunner) => Promise<T>,
): Promise<T> {
  const connection: Connection = { client: await pool.connect() }
  try {
    return await runTransaction(connection, transactionOptions, work)
  } finally {
    connection.client.release(connection.broken)
  }
}

/** `pg` returns an array of results for several statements; only the last one's rows are used. */
function readLastRows(result: pg.QueryResult | pg.QueryResult[]): Row[] {
  return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows
}
