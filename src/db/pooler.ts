/** Poolers before Postgres: those that mix up connections are found at the start, and refused. */
import type pg from 'pg'
import { WrongUse } from '../runtime/wrong-use.ts'

/** Milliseconds for an answer. */
const TIMEOUT_MS = 4_000
/** A pooler that others use too may by chance give a connection its process back, but not so many times. */
const LOOKS_AT_SHARING = 10

/**
 * A pooler in transaction mode gives every transaction the server process that is free: named statements and what is set for
 * a connection are another's then. A connection of ours must keep its process while another one is in a transaction.
 */
export async function refuseSharedConnections(pool: pg.Pool): Promise<void> {
  const asked = [pool.connect(), pool.connect()] as const
  try {
    const [mine, other] = await Promise.all(asked)
    const own = await processOf(mine)
    for (let look = 0; look < LOOKS_AT_SHARING; look += 1)
      if (await isShared(mine, own, other)) throw sharedConnections()
  } finally {
    // Where one is refused, the pool's end would wait for the other for ever.
    for (const one of await Promise.allSettled(asked)) if (one.status === 'fulfilled') one.value.release()
  }
}

async function isShared(mine: pg.PoolClient, own: number, other: pg.PoolClient): Promise<boolean> {
  const before = await processOf(mine)
  await other.query('begin')
  const [others, after] = [await processOf(other), await processOf(mine)]
  await other.query('rollback')
  return before !== own || others === own || after !== own
}

function sharedConnections(): WrongUse {
  return new WrongUse(
    'DATABASE_URL leads to a pooler in transaction mode, which mixes up connections: connect to Postgres itself, or use session mode',
  )
}

async function processOf(client: pg.PoolClient): Promise<number> {
  const text = 'select pg_backend_pid() as pid'
  const { rows } = await client.query({ text, query_timeout: TIMEOUT_MS } as pg.QueryConfig)
  return (rows[0] as { pid: number }).pid
}
