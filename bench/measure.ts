// Measures one window of one server on a fresh database, and counts its statements in a separate
// run.
import { spawnSync } from 'node:child_process'
import { startCountingProxy } from './counting-proxy.ts'
import type { GeneratorLoad, Window } from './generator.ts'
import type { BenchPostgres } from './postgres.ts'
import { isKnown, readFamilySeconds } from './processor-time.ts'
import { type LoadRun, runLoad } from './run-load.ts'
import { HOST, type ServerProcess } from './server-process.ts'
import { MAIN, purserEnvironment, SECRET, type Subject } from './subjects.ts'
import { readWalChanges, type WalChanges } from './wal-changes.ts'

export type LoadShape = Pick<
  GeneratorLoad,
  'players' | 'settles' | 'connections' | 'warmupSeconds' | 'seconds' | 'callsPerSecond'
> & {
  processes: number
}

export interface ServerMeasurement {
  window: Window
  callsPerSecond: number
  /** Microseconds per accepted call; only on Linux. */
  processorTime?: { server: number; postgres: number; generator: number }
  database?: DatabaseCost
  /**
   * Share of accepted calls that the fast path applied; absent for a server without this metric.
   */
  fastPathShare?: number
}

export interface DatabaseCost {
  walBytesPerCall: number
  transactionsPerCall: number
  walRecordsPerCall: number
  /** Full-page images in the WAL, one for each page at its first change after a checkpoint. */
  pageImagesPerCall: number
  /** Pages of 8 KiB in tables and indexes, counted at each request. */
  pagesPerCall: number
  /** Bets in the database minus bets answered with 200; must be 0. */
  betsTooMany: number
  /** Result of `purser audit`; only for purser. */
  audit?: { clean: boolean; said: string }
}

export interface CountedStatements {
  statementsPerCall: number
  roundTripsPerCall: number
  transactionsPerCall: number
  touched: WalChanges[]
}

export async function measureServer(
  postgres: BenchPostgres,
  subject: Subject,
  shape: LoadShape,
): Promise<ServerMeasurement> {
  return onFreshDatabase(postgres, subject, async (database) => {
    const before = subject.countBets === undefined ? 0 : await postgres.count(database, subject.countBets)
    const { run, ...measurement } = await measureOnDatabase(postgres, subject, database, shape)
    if (!subject.countBets) return measurement
    const betsTooMany = (await postgres.count(database, subject.countBets)) - before - run.betsInAll
    const audited = subject.main && { audit: runAudit(postgres.url(database), subject.main) }
    return { ...measurement, database: { ...computeDatabaseCost(run), betsTooMany, ...audited } }
  })
}

/** Uses the database as it is. */
export async function measureOnDatabase(
  postgres: BenchPostgres,
  subject: Pick<Subject, 'start' | 'isOnePort'>,
  database: string,
  shape: LoadShape,
) {
  const servers = await startAll(subject, postgres.url(database), shape)
  const counters = async () => ({
    ...(await databaseCounters(postgres)),
    ...processorCounters(postgres, servers),
    fastPathCalls: await countFastPathCalls(servers),
  })
  const run = await runLoad(loadOn(servers, shape), counters).finally(() => stopAll(servers))
  const { window } = run
  const processorTime = isKnown && { processorTime: processorTimeOf(run) }
  const fastPathShare = Number.isNaN(run.after.fastPathCalls) ? {} : { fastPathShare: perCall(run)('fastPathCalls') }
  return { run, window, callsPerSecond: window.accepted / window.seconds, ...processorTime, ...fastPathShare }
}

/** One after another, because the first server may create the schema. */
async function startAll(
  { start, isOnePort }: Pick<Subject, 'start' | 'isOnePort'>,
  databaseUrl: string,
  { processes }: LoadShape,
): Promise<ServerProcess[]> {
  const servers: ServerProcess[] = []
  while (servers.length < (isOnePort ? 1 : processes)) servers.push(await start(databaseUrl))
  return servers
}

const stopAll = (servers: ServerProcess[]) => Promise.all(servers.map(({ stop }) => stop()))

const loadOn = (servers: ServerProcess[], shape: LoadShape): GeneratorLoad => ({
  ...shape,
  host: HOST,
  ports: servers.map(({ port }) => port),
  secret: SECRET,
})

function perCall<Counters extends Record<string, number>>({ before, after, window }: LoadRun<Counters>) {
  return (name: keyof Counters) => (after[name]! - before[name]!) / window.accepted
}

export function computeDatabaseCost(run: LoadRun<Awaited<ReturnType<typeof databaseCounters>>>) {
  const cost = perCall(run)
  return {
    walBytesPerCall: cost('walBytes'),
    transactionsPerCall: cost('transactions'),
    walRecordsPerCall: cost('walRecords'),
    pageImagesPerCall: cost('pageImages'),
    pagesPerCall: cost('pages'),
  }
}

/** NaN without this metric. */
async function countFastPathCalls(servers: ServerProcess[]): Promise<number> {
  const texts = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
  return texts.reduce((sum, text) => sum + +(/^wallet_fast_path_calls_total (\d+)$/m.exec(text)?.[1] ?? Number.NaN), 0)
}

function processorCounters(postgres: BenchPostgres, servers: ServerProcess[]) {
  const serverSeconds = servers.reduce((sum, { pid }) => sum + readFamilySeconds(pid), 0)
  return { serverSeconds, postgresSeconds: readFamilySeconds(postgres.pid) }
}

const US_PER_S = 1_000_000

function processorTimeOf(run: LoadRun<ReturnType<typeof processorCounters>>) {
  const cost = perCall(run)
  const { generatorCpuSeconds, accepted } = run.window
  return {
    server: cost('serverSeconds') * US_PER_S,
    postgres: cost('postgresSeconds') * US_PER_S,
    generator: (generatorCpuSeconds / accepted) * US_PER_S,
  }
}

/**
 * The same load through the counting proxy. Its speed is not reported, since the proxy takes part
 * of the machine.
 */
export async function countStatementsOfServer(
  postgres: BenchPostgres,
  subject: Subject,
  shape: LoadShape,
): Promise<CountedStatements> {
  return onFreshDatabase(postgres, subject, async (database) => {
    const proxy = await startCountingProxy(postgres.url(database))
    const servers = await startAll(subject, proxy.url, shape)
    const counters = async () => ({ ...proxy.counts(), ...(await databaseCounters(postgres)) })
    const run = await runLoad(loadOn(servers, shape), counters).finally(() => stopAll(servers))
    proxy.close()
    const counted = perCall(run)
    const { before, after, window } = run
    return {
      touched: await readWalChanges(postgres.url(database), before.walBytes, after.walBytes, window.accepted),
      statementsPerCall: counted('statements'),
      roundTripsPerCall: counted('roundTrips'),
      transactionsPerCall: counted('transactions'),
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
  const count = (sql: string) => postgres.count('postgres', `select ${sql} as count`)
  const [walBytes, transactions, walRecords, pageImages, pages] = await Promise.all([
    count("pg_current_wal_lsn() - '0/0'"),
    count('pg_snapshot_xmax(pg_current_snapshot())::text'),
    count('(select wal_records from pg_stat_wal)'),
    count('(select wal_fpi from pg_stat_wal)'),
    count('(select sum(blks_hit + blks_read) from pg_stat_database)'),
  ])
  return { walBytes, transactions, walRecords, pageImages, pages }
}

export function runAudit(databaseUrl: string, main = MAIN): { clean: boolean; said: string } {
  const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...purserEnvironment(databaseUrl) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'audit', '--json'], { env, encoding: 'utf8' })
  return { clean: status === 0, said: (stdout || stderr).trim() }
}
