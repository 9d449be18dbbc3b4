/**
 * A database connection that can die with its process.
 *
 * A death rolls back the current transaction. The promises of a dead process never settle, so its
 * code has no further effect.
 */
import type { Db, Statement, Tx } from 'purser/core/database/db'

const AFTER_COMMIT = 'behind its COMMIT'

class ProcessDeath extends Error {
  constructor() {
    super('the process has died')
  }
}

/** A broken connection: its last statement may have been executed. */
class ConnectionLoss extends Error {
  readonly code = '08006'
}

export interface ProcessLife {
  readonly db: Db
  isOver(): boolean
  /** No statement of this process reaches the database after this call. */
  end(): void
  /** The process dies before this statement, counted from now, or after it if it is a COMMIT. */
  endAt(statements: number): void
  /** The process dies after this COMMIT, counted from now. */
  endAfterCommits(commits: number): void
  /** From this statement on, `times` statements fail. A failing COMMIT takes effect. */
  failAt(statements: number, times: number): void
  spare(): void
}

export interface CrashableDbDeps {
  busy(change: 1 | -1): void
  /** Called once. */
  died(where: string): void
  failed(where: string): void
}

function createCrashTrigger({ died, failed }: CrashableDbDeps) {
  let isOver = false
  let [left, leftCommits] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let [untilFailure, failures] = [Number.POSITIVE_INFINITY, 0]
  return {
    isOver: () => isOver,
    /** Throws if the statement is to fail. */
    count(moment: string): void {
      left -= 1
      untilFailure -= 1
      if (moment === AFTER_COMMIT) leftCommits -= 1
      if (isOver) return
      if (left <= 0 || leftCommits <= 0) {
        isOver = true
        died(moment)
      } else if (untilFailure <= 0 && failures > 0) {
        failures -= 1
        failed(moment)
        throw new ConnectionLoss('the connection was lost')
      }
    },
    end() {
      isOver = true
    },
    endAt(statements: number) {
      left = statements
    },
    endAfterCommits(commits: number) {
      leftCommits = commits
    },
    failAt(statements: number, times: number) {
      untilFailure = statements
      failures = times
    },
    spare() {
      left = Number.POSITIVE_INFINITY
      leftCommits = Number.POSITIVE_INFINITY
      failures = 0
    },
  }
}

export function createCrashableDb(db: Db, deps: CrashableDbDeps): ProcessLife {
  const { busy } = deps
  const { count, isOver, ...ends } = createCrashTrigger(deps)
  /** Settles only while the process lives. */
  const alive = <T>(work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      if (isOver()) return
      busy(1)
      const end = (deliver: () => void) => {
        busy(-1)
        if (!isOver()) deliver()
      }
      work().then(
        (value) => end(() => resolve(value)),
        (error) => end(() => reject(error)),
      )
    })
  const each: Each = async (moment, send) => {
    count(`before ${moment}`)
    if (isOver()) throw new ProcessDeath()
    const value = await send()
    if (isOver()) throw new ProcessDeath()
    return value
  }
  const inside =
    <T>(work: (tx: Tx) => Promise<T>) =>
    async (tx: Tx): Promise<T> => {
      const value = await work(wrapTx(tx, each))
      count('before its COMMIT')
      if (isOver()) throw new ProcessDeath()
      return value
    }
  const committed =
    (run: Db['transaction']): Db['transaction'] =>
    (work) =>
      alive(async () => {
        const value = await run(inside(work))
        count(AFTER_COMMIT)
        return value
      })
  const transaction = committed(db.transaction)
  const query = ((statement: Statement, values?: readonly unknown[]) =>
    alive(() => each(statement.name, () => db.query(statement, values)))) as Db['query']
  return {
    db: {
      ...db,
      transaction,
      query,
      userQueries: { query },
      longTransaction: committed(db.longTransaction),
      openLane: () => ({ transaction }),
      snapshot: (work) => alive(() => db.snapshot((tx) => work(wrapTx(tx, each)))),
      reportSnapshot: (work) => alive(() => db.reportSnapshot((tx) => work(wrapTx(tx, each)))),
      close: async () => {},
    },
    isOver,
    ...ends,
  }
}

type Each = <T>(moment: string, send: () => Promise<T>) => Promise<T>

function wrapTx(tx: Tx, each: Each): Tx {
  return {
    query: (statement, values) => each(statement.name, () => tx.query(statement, values)),
    execute: (statement, values) => each(statement.name, () => tx.execute(statement, values)),
    finish: (send) => tx.finish(send),
  }
}
