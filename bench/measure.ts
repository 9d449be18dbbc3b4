// One measured window of one server on a fresh copy of its database, and the counting run beside it.
import { spawnSync } from 'node:child_process'
import { countingProxy } from './counting-proxy.ts'
import type { Load, Window } from './generator.ts'
import type { BenchPostgres } from './postgres.ts'
import { runLoad } from './run-load.ts'
import { HOST } from './server-process.ts'
import { MAIN, purserEnvironment, SECRET, type Subject } from './subjects.ts'

export type Shape = Pick<Load, 'players' | 'connections' | 'warmupSeconds' | 'seconds'>

export interface Measurement {
  window: Window
  betsPerSecond: number
  database?: DatabaseCost
}

export interface DatabaseCost {
  walBytesPerBet: number
  transactionsPerBet: number
  /** Bets in the database minus bets answered with 200: must be 0. */
  betsTooMany: number
  /** What `purser audit` said about the money; only purser has one. */
  audit?: { clean: boolean; said: string }
}

export interface Counted {
  statementsPerBet: number
  roundTripsPerBet: number
  transactionsPerBet: number
}

const perBet = (value: number, { accepted }: Window) => value / accepted

export async function measure(postgres: BenchPostgres, subject: Subject, shape: Shape): Promise<Measurement> {
  return onFreshDatabase(postgres, subject, async (database) => {
    const server = await subject.start(postgres.url(database))
    const counters = async () => (subject.seed ? databaseCounters(postgres) : undefined)
    const run = await runLoad({ ...shape, host: HOST, port: server.port, secret: SECRET }, counters).finally(
      server.stop,
    )
    const { window, before, after } = run
    const measurement = { window, betsPerSecond: window.accepted / window.seconds }
    if (!before || !after || !subject.countBets) return measurement
    const cost: DatabaseCost = {
      walBytesPerBet: perBet(after.walBytes - before.walBytes, window),
      transactionsPerBet: perBet(after.transactions - before.transactions, window),
      betsTooMany: (await postgres.count(database, subject.countBets)) - run.acceptedInAll,
    }
    if (subject.name === 'purser') cost.audit = audit(postgres.url(database))
    return { ...measurement, database: cost }
  })
}

/** The same load through the counting proxy; its speed is not reported, the proxy takes its share of the machine. */
export async function count(postgres: BenchPostgres, subject: Subject, shape: Shape): Promise<Counted> {
  return onFreshDatabase(postgres, subject, async (database) => {
    const proxy = await countingProxy(postgres.url(database))
    const server = await subject.start(proxy.url)
    const counters = async () => ({ ...proxy.counts(), ...(await databaseCounters(postgres)) })
    const run = await runLoad({ ...shape, host: HOST, port: server.port, secret: SECRET }, counters).finally(
      server.stop,
    )
    proxy.close()
    return {
      statementsPerBet: perBet(run.after.statements - run.before.statements, run.window),
      roundTripsPerBet: perBet(run.after.roundTrips - run.before.roundTrips, run.window),
      transactionsPerBet: perBet(run.after.transactions - run.before.transactions, run.window),
    }
  })
}

async function onFreshDatabase<Result>(
  postgres: BenchPostgres,
  subject: Subject,
  use: (database: string) => Promise<Result>,
): Promise<Result> {
  const database = `${subject.name.replace('-', '_')}_run`
  if (!subject.seed) return use(database)
  await postgres.copy(subject.seed, database)
  return use(database).finally(() => postgres.drop(database))
}

async function databaseCounters(postgres: BenchPostgres) {
  const [walBytes, transactions] = await Promise.all([
    postgres.count('postgres', "select pg_current_wal_lsn() - '0/0' as count"),
    postgres.count('postgres', 'select pg_snapshot_xmax(pg_current_snapshot())::text as count'),
  ])
  return { walBytes, transactions }
}

function audit(databaseUrl: string): { clean: boolean; said: string } {
  const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...purserEnvironment(databaseUrl) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'audit', '--json'], { env, encoding: 'utf8' })
  return { clean: status === 0, said: (stdout || stderr).trim() }
}
