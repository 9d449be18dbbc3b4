/** Spans for the statements of a transaction, with names and without values. */
import type { Span } from '@purser/runtime/tracing'
import type { Db, Tx } from '../db.ts'

/** Returns `transaction` itself without a span. */
export function traceTransaction(span: Span | undefined, transaction: Db['transaction']): Db['transaction'] {
  if (span === undefined) return transaction
  return async (work) => {
    let commit: Span | undefined
    const committing = () => {
      commit = beginSpan(span, 'commit')
    }
    try {
      const result = await transaction((tx) => work(traceTx(span, tx, committing)))
      commit?.end()
      return result
    } catch (error) {
      commit?.end({ failed: true })
      throw error
    }
  }
}

function traceTx(span: Span, tx: Tx, committing: () => void): Tx {
  return {
    query: (statement, values) => traceStatement(span, statement.name, tx.query(statement, values) as Promise<never>),
    execute: (statement, values) => traceStatement(span, statement.name, tx.execute(statement, values)),
    finish(send) {
      const sent = tx.finish(send)
      committing() // COMMIT follows the last statements
      return sent
    },
  }
}

function beginSpan(span: Span, name: string): Span {
  return span.child(name, { kind: 'client', attributes: { 'db.system.name': 'postgresql' } })
}

async function traceStatement<T>(span: Span, name: string, answer: Promise<T>): Promise<T> {
  const statement = beginSpan(span, name)
  try {
    const result = await answer
    statement.end()
    return result
  } catch (error) {
    statement.end({ failed: true })
    throw error
  }
}
