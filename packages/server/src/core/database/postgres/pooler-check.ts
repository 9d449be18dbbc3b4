/** Check at the start that refuses a connection pooler in transaction mode. */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import type pg from 'pg'

/** Milliseconds for an answer. */
const TIMEOUT_MS = 4_000
/** A pooler with other clients may return the same process by chance, but not this many times. */
const SHARING_PROBES = 10

/**
 * A pooler in transaction mode gives each transaction any free server process, so prepared
 * statements and session settings are another client's. Here a connection must keep its process
 * while another one is in a transaction.
 */
export async function refuseTransactionPooling(pool: pg.Pool): Promise<void> {
  const connecting = [pool.connect(), pool.connect()] as const
  try {
    const [mine, other] = await Promise.all(connecting)
    const own = await readBackendPid(mine)
    for (let probe = 0; probe < SHARING_PROBES; probe += 1)
      if (await isShared(mine, own, other)) throw transactionPoolingError()
  } finally {
    // If one connection is refused, the pool's end would wait for the other one.
    for (const result of await Promise.allSettled(connecting)) if (result.status === 'fulfilled') result.value.release()
  }
}

async function isShared(mine: pg.PoolClient, own: number, other: pg.PoolClient): Promise<boolean> {
  const before = await readBackendPid(mine)
  await other.query('begin')
  const [others, after] = [await readBackendPid(other), await readBackendPid(mine)]
  await other.query('rollback')
  return before !== own || others === own || after !== own
}

function transactionPoolingError(): UsageError {
  return new UsageError(
    'DATABASE_URL leads to a pooler in transaction mode, which mixes up connections: connect to Postgres itself, or use session mode',
  )
}

async function readBackendPid(client: pg.PoolClient): Promise<number> {
  const text = 'select pg_backend_pid() as pid'
  const { rows } = await client.query({ text, query_timeout: TIMEOUT_MS } as pg.QueryConfig)
  return (rows[0] as { pid: number }).pid
}
