/** Counts the SQL statements and connection attempts for which this process waits. */
import pg from 'pg'

let waiting = 0

/** Counts each call until its answer. Postgres' own statistics are late on a busy machine. */
function counted(call: (...given: unknown[]) => unknown) {
  return function counting(this: unknown, ...given: unknown[]): unknown {
    waiting += 1
    let isOver = false
    const over = () => {
      if (!isOver) waiting -= 1
      isOver = true
    }
    const then = given.at(-1)
    if (typeof then === 'function') {
      const callback = (...answer: unknown[]) => {
        over()
        then(...answer)
      }
      return call.apply(this, [...given.slice(0, -1), callback])
    }
    const answer = call.apply(this, given)
    if (answer instanceof Promise) answer.then(over, over)
    else over()
    return answer
  }
}

Object.assign(pg.Client.prototype, { query: counted(pg.Client.prototype.query as never) })
Object.assign(pg.Pool.prototype, { connect: counted(pg.Pool.prototype.connect as never) })

export function underWay(): number {
  return waiting
}
