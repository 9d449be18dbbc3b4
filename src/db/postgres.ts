/** The Db on a Postgres server, through the `pg` pool. */
import pg from 'pg'
import { type Db, HOT_SETTINGS, type Row, SNAPSHOT, type Statement, type Tx } from './db.ts'

/** Transactions at once from one process; each lane holds at most one. */
const POOL_SIZE = 16
/** Milliseconds to wait for a connection: inside the 5 s of the platform. */
const CONNECT_TIMEOUT_MS = 3_000
const INT8 = 20

/** Connects; throws if the server would acknowledge commits before they are durable. */
export async function openPostgres(url: string): Promise<Db> {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    pipeline: true,
    types: { getTypeParser: parserOf },
    application_name: 'purser',
  } as pg.PoolConfig)
  pool.on('error', () => {}) // an idle connection died; the next query opens another or fails by itself
  await refuseUnsafeServer(pool)
  return {
    kind: 'postgres',
    transaction: (work) => inTransaction(pool, `begin; ${HOT_SETTINGS}`, (client) => work(txOn(client))),
    snapshot: (work) => inTransaction(pool, `begin ${SNAPSHOT}`, (client) => work(txOn(client))),
    query: (statement, values) => run(pool, statement, values) as Promise<never>,
    script: (work) => inTransaction(pool, 'begin', (client) => work(async (sql) => rowsOf(await client.query(sql)))),
    close: () => pool.end(),
  }
}

function parserOf(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8 && format !== 'binary') return (text: string) => BigInt(text)
  return pg.types.getTypeParser(oid, format as 'text')
}

/** No call is answered 200 before its commit is durable: these settings would break that silently. */
async function refuseUnsafeServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync",
  )
  const { fsync, sync } = rows[0] as { fsync: string; sync: string }
  if (fsync === 'on' && sync !== 'off') return
  await pool.end()
  throw new Error(
    `the Postgres server has fsync=${fsync} and synchronous_commit=${sync}: an answered bet could be lost in a crash`,
  )
}

function prepared(statement: Statement, values: readonly unknown[] = []): pg.QueryConfig {
  return { name: statement.name, text: statement.text, values: values as unknown[] }
}

async function run(client: pg.Pool | pg.PoolClient, statement: Statement, values?: readonly unknown[]): Promise<Row[]> {
  return (await client.query(prepared(statement, values))).rows
}

function txOn(client: pg.PoolClient): Tx {
  return {
    query: (statement, values) => run(client, statement, values) as Promise<never>,
    execute: async (statement, values) => (await client.query(prepared(statement, values))).rowCount ?? 0,
  }
}

/** BEGIN travels with the first statements of `work`; a failed BEGIN fails those too. */
async function inTransaction<T>(pool: pg.Pool, begin: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const [, result] = await Promise.all([client.query(begin), work(client)])
    await commit(client)
    return result
  } catch (error) {
    broken = await undo(client)
    throw error
  } finally {
    client.release(broken)
  }
}

/** A COMMIT after a failed statement answers ROLLBACK without an error; that must not pass for success. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit')
  if (command !== 'COMMIT') throw new Error('the transaction was not committed')
}

async function undo(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('the connection is broken')
  }
}

/** pg answers several statements in one text with an array of results; only the last one's rows matter. */
function rowsOf(result: pg.QueryResult | pg.QueryResult[]): Row[] {
  return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows
}
