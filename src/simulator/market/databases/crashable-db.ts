/**
 * The database as one life of a process has it. When the process dies, a statement that is under way is undone with its transaction, and
 * nobody hears of the database any more: what is left of the process waits for ever, and can do no harm.
 */
import type { Db, Statement, Tx } from '../../../server/core/database/db.ts'

const AFTER_COMMIT = 'behind its COMMIT'

class ProcessDeath extends Error {
  constructor() {
    super('the process has died')
  }
}

/** As a connection that broke: what was said last may have been done. */
class ConnectionLoss extends Error {
  readonly code = '08006'
}

export interface ProcessLife {
  readonly db: Db
  isOver(): boolean
  /** Nothing of this life reaches the database from here on. */
  end(): void
  /** It ends at the statement so many statements from now: before it, or, of a COMMIT, behind it. */
  endAt(statements: number): void
  /** It ends behind the COMMIT that is so many COMMITs from now. */
  endAfterCommits(commits: number): void
  /** From the statement so many statements from now so many of them are not done, or, of a COMMIT, done and answered with an error. */
  failAt(statements: number, times: number): void
  /** Nothing of all this happens any more. */
  spare(): void
}

export interface CrashableDbDeps {
  /** Counts what is under way, up and down. */
  busy(change: 1 | -1): void
  /** Told once when the life ends at a statement. */
  died(where: string): void
  failed(where: string): void
}

/** What is to come: the end of a life, and statements that fail. */
function createCrashTrigger({ died, failed }: CrashableDbDeps) {
  let isOver = false
  let [left, leftCommits] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let [untilFailure, failures] = [Number.POSITIVE_INFINITY, 0]
  return {
    isOver: () => isOver,
    /** Throws where the database is to fail. */
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
  /** Resolves for the living only. */
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
      people: { query },
      longTransaction: committed(db.longTransaction),
      openLane: () => ({ transaction }),
      snapshot: (work) => alive(() => db.snapshot((tx) => work(wrapTx(tx, each)))),
      sums: (work) => alive(() => db.sums((tx) => work(wrapTx(tx, each)))),
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
