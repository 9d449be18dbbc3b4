// Measures a query several times and explains its statements, as one row of a table.
import type pg from 'pg'
import {
  type Db,
  type Queryable,
  REPORT_SETTINGS_SQL,
  type Statement,
  USER_QUERY_SETTINGS_SQL,
} from 'purser/core/database/db'
import { type Plan, planOf, type SentStatement } from '../../packages/server/test/support/plans.ts'

const ROUNDS = 7

interface Deps {
  readonly db: Pick<Db, 'userQueries' | 'reportSnapshot'>
}

export interface TimedQuery<D extends Deps> {
  readonly what: string
  /** Reports use another connection, with a longer timeout. */
  readonly isReport?: true
  run(deps: D): Promise<unknown>
}

export const TABLE_HEAD = '\n| What | First ms | Median ms | Rows | Pages | Through |\n|---|---|---|---|---|---|'

interface QuestionTiming {
  readonly what: string
  readonly first: number
  readonly median: number
  readonly plans: readonly Plan[]
}

export async function timeQuery<D extends Deps>(
  sql: pg.Client,
  deps: D,
  { what, isReport, run }: TimedQuery<D>,
): Promise<QuestionTiming> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    await run(deps)
    times.push(performance.now() - start)
  }
  const plans: Plan[] = []
  for (const one of await sentOf(deps, run))
    plans.push(await planOf(sql, isReport ? REPORT_SETTINGS_SQL : USER_QUERY_SETTINGS_SQL, one))
  const [first = 0, ...others] = times
  return { what, first, median: others.sort((a, b) => a - b)[Math.trunc(others.length / 2)] ?? 0, plans }
}

/** Records the statements of a query while it is answered. */
async function sentOf<D extends Deps>(deps: D, run: TimedQuery<D>['run']): Promise<SentStatement[]> {
  const sent: SentStatement[] = []
  const seen = (reading: Queryable): Queryable => ({
    query: (statement: Statement, values: readonly unknown[] = []) => {
      sent.push([statement, values])
      return reading.query(statement, values)
    },
  })
  const { userQueries: people, reportSnapshot: sums } = deps.db
  await run({
    ...deps,
    db: { ...deps.db, userQueries: seen(people), reportSnapshot: (work) => sums((tx) => work({ ...tx, ...seen(tx) })) },
  })
  return sent
}

export function formatTimingRow({ what, first, median, plans }: QuestionTiming): string {
  const indexes = new Set(plans.flatMap(({ scans }) => scans).map(nameOf))
  const sum = (of: (plan: Plan) => number) => Math.round(plans.reduce((total, plan) => total + of(plan), 0))
  const ms = (time: number) => (time < 10 ? time.toFixed(1) : Math.round(time).toLocaleString('en'))
  const counts = [sum(({ rows }) => rows), sum(({ pages }) => pages)].map((count) => count.toLocaleString('en'))
  return `| ${[what, ms(first), ms(median), ...counts, [...indexes].join(', ')].join(' | ')} |`
}

/** Each day of the journal has its own index. */
function nameOf(index: string): string {
  return index === 'none' ? 'the whole table' : index.replace(/_\d{8}_/, '_DAY_')
}

export async function timeWork(what: string, work: () => Promise<unknown>): Promise<string> {
  const start = performance.now()
  const result = await work()
  return `| ${what} | ${((performance.now() - start) / 1_000).toFixed(1)} s${result === undefined ? '' : `, ${result}`} |`
}
