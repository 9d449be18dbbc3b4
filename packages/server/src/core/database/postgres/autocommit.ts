/** Autocommit statements (`Lane.autocommit`) on one connection of `pg`. */
import type pg from 'pg'
import { isOutage } from '../database-errors.ts'
import type { BoundStatement, Lane, Row } from '../db.ts'
import { findUnreplicatedCommit } from './durability.ts'
import { type TransactionOptions, toQueryConfig } from './postgres-transaction.ts'

export function createAutocommit(pool: pg.Pool, options: TransactionOptions): Pick<Lane, 'autocommit'> {
  return options.onCitus
    ? { autocommit: (statements) => runAutocommit(pool, options, statements) as Promise<never> }
    : {}
}

/** Without an answer the outcome of a statement is unknown, so the connection is not used again. */
async function runAutocommit(
  pool: pg.Pool,
  { requireDurable, timeoutMs, onCitus }: TransactionOptions,
  statements: readonly BoundStatement[],
): Promise<Row[][]> {
  requireDurable()
  const client = await pool.connect()
  const sendStatement = ([statement, values]: BoundStatement) =>
    client.query(toQueryConfig(statement, values, timeoutMs, onCitus))
  const answers = await Promise.allSettled(statements.map(sendStatement))
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  const unreplicated = findUnreplicatedCommit(client)
  client.release(unreplicated ?? errors.find(isOutage))
  if (unreplicated !== undefined || errors.length > 0) throw unreplicated ?? errors[0]
  return answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.rows : []))
}
