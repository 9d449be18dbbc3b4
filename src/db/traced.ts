/** The statements of a transaction as spans, by their names: what they are about is not in them. */
import type { Span } from '../runtime/tracing.ts'
import type { Db, Tx } from './db.ts'

/** Without a span the same function. */
export function tracedBelow(span: Span | undefined, transaction: Db['transaction']): Db['transaction'] {
  if (span === undefined) return transaction
  return async (work) => {
    let commit: Span | undefined
    const committing = () => {
      commit = beginIn(span, 'commit')
    }
    try {
      const result = await transaction((tx) => work(tracedTx(span, tx, committing)))
      commit?.end()
      return result
    } catch (error) {
      commit?.end({ failed: true })
      throw error
    }
  }
}

function tracedTx(span: Span, tx: Tx, committing: () => void): Tx {
  return {
    query: (statement, values) => timed(span, statement.name, tx.query(statement, values) as Promise<never>),
    execute: (statement, values) => timed(span, statement.name, tx.execute(statement, values)),
    finish(send) {
      const sent = tx.finish(send)
      committing() // COMMIT is on its way behind the last statements
      return sent
    },
  }
}

function beginIn(span: Span, name: string): Span {
  return span.child(name, { kind: 'client', attributes: { 'db.system.name': 'postgresql' } })
}

async function timed<T>(span: Span, name: string, answer: Promise<T>): Promise<T> {
  const statement = beginIn(span, name)
  try {
    const result = await answer
    statement.end()
    return result
  } catch (error) {
    statement.end({ failed: true })
    throw error
  }
}
