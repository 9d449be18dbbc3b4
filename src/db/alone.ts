/** Statements that are transactions of their own (`Lane.alone`), on one connection of `pg`. */
import type pg from 'pg'
import type { Asked, Lane, Row } from './db.ts'
import { doubtOf } from './durability.ts'
import { isOutage } from './errors.ts'
import { type Manner, prepared } from './transaction.ts'

export function aloneOn(pool: pg.Pool, manner: Manner): Pick<Lane, 'alone'> {
  return manner.onCitus ? { alone: (asked) => ask(pool, manner, asked) as Promise<never> } : {}
}

/** Sent together. What becomes of one that is not answered, nobody knows: such a connection is not used again. */
async function ask(
  pool: pg.Pool,
  { requireDurable, timeoutMs, onCitus }: Manner,
  asked: readonly Asked[],
): Promise<Row[][]> {
  requireDurable()
  const client = await pool.connect()
  const send = ([statement, values]: Asked) => client.query(prepared(statement, values, timeoutMs, onCitus))
  const answers = await Promise.allSettled(asked.map(send))
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  const doubt = doubtOf(client)
  client.release(doubt ?? errors.find(isOutage))
  if (doubt !== undefined || errors.length > 0) throw doubt ?? errors[0]
  return answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.rows : []))
}
