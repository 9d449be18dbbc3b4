// The speed comparison: three servers, one machine, one generator, one run. bench/README.md
// explains the result.
import { existsSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { renderBarChart } from './chart.ts'
import { copyPlayers } from './copy-players.ts'
import { countStatementsOfServer, type LoadShape, measureServer, type ServerMeasurement } from './measure.ts'
import { BENCH_HELP, type BenchOptions, parseBenchOptions, SHAPES, UsageError } from './options.ts'
import type { BenchPlayer } from './place-bet.ts'
import { createPlainDatabase } from './plain-schema.ts'
import { type BenchPostgres, disk, startBenchPostgres } from './postgres.ts'
import {
  computeMedian,
  computeRatios,
  findShortfalls,
  formatBenchReport,
  type OpenLoopMeasurement,
  type SubjectMeasurements,
} from './report.ts'
import { inventPlayer, SEED_BALANCE, seedOnePlayer, toUserIds } from './seed-players.ts'
import { listSubjects, MAIN, type Subject } from './subjects.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)
/** In the load shape with results, results begin only after the warm-up. */
const COUNTING = { warmupSeconds: 4, seconds: 3 }

async function compare(options: BenchOptions): Promise<SubjectMeasurements[]> {
  const postgres = await startBenchPostgres()
  try {
    const chosen = listSubjects(options).filter(({ name }) => options.only.includes(name))
    const players = await seedDatabases(postgres, chosen, options)
    const { connections, seconds, warmupSeconds } = options
    const shape: LoadShape = { ...SHAPES[options.shape], players, connections, seconds, warmupSeconds }
    const measured = await measureInTurn(postgres, chosen, shape, options.rounds)
    const all: SubjectMeasurements[] = []
    for (const subject of chosen) {
      const counted =
        subject.seed && options.counts
          ? await countStatementsOfServer(postgres, subject, { ...shape, ...COUNTING })
          : undefined
      const rounds = measured.get(subject)!
      const open = subject.name === 'purser' ? await measureOpen(postgres, subject, shape, rounds, options) : undefined
      all.push({ name: subject.name, rounds, counted, open })
    }
    return all
  } finally {
    await postgres.stop()
  }
}

async function seedDatabases(
  postgres: BenchPostgres,
  chosen: Subject[],
  options: BenchOptions,
): Promise<BenchPlayer[]> {
  const players = toUserIds(options.players).map(inventPlayer)
  for (const { name, seed = '', start } of chosen.filter(({ main }) => main !== undefined)) {
    say(`${name}: ${players.length} players …`)
    await postgres.create(seed)
    const wallet = await start(postgres.url(seed))
    await seedOnePlayer(wallet.url).finally(wallet.stop)
    await copyPlayers(postgres.url(seed), players)
  }
  await postgres.create('plain_seed')
  await createPlainDatabase(postgres.url('plain_seed'), players, SEED_BALANCE.cents)
  return players
}

/**
 * Rounds are interleaved and each begins with another server, so that other work on the machine
 * slows all alike.
 */
async function measureInTurn(postgres: BenchPostgres, chosen: Subject[], shape: LoadShape, rounds: number) {
  const measured = new Map<Subject, ServerMeasurement[]>(chosen.map((subject) => [subject, []]))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < chosen.length; turn++) {
      const subject = chosen[(round + turn) % chosen.length]!
      const measurement = await measureServer(postgres, subject, shape)
      measured.get(subject)!.push(measurement)
      say(`round ${round + 1} ${subject.name}: ${Math.round(measurement.callsPerSecond)} calls/s`)
    }
  }
  return measured
}

/** Latency as users see it: calls start at a fixed rate, even when the server is slow. */
async function measureOpen(
  postgres: BenchPostgres,
  subject: Subject,
  shape: LoadShape,
  rounds: ServerMeasurement[],
  { openShare }: BenchOptions,
): Promise<OpenLoopMeasurement | undefined> {
  if (!(openShare > 0)) return undefined
  const callsPerSecond = openShare * computeMedian(rounds.map((round) => round.callsPerSecond))
  const { window } = await measureServer(postgres, subject, { ...shape, callsPerSecond })
  return { callsPerSecond, window }
}

async function main(): Promise<number> {
  const options = parseBenchOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(`${BENCH_HELP}\n`)
    return 0
  }
  if (options.only.includes('purser') && !existsSync(MAIN))
    throw new UsageError('packages/server/dist/main.js is missing: npm run build')
  const { isRam, fdatasyncMs } = disk()
  if (isRam) throw new UsageError('TMPDIR is on a RAM disk, where fsync costs nothing: set it to a folder on a disk')
  const machine = { cores: availableParallelism(), node: process.version, fdatasyncMs }
  const all = await compare(options)
  const missed = findShortfalls(all, options.shape)
  const note = `${options.shape}, ${machine.cores} cores, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`
  const chart = options.chart && renderBarChart(all, note)
  if (options.chart && chart) writeFileSync(options.chart, chart)
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ machine, options, servers: all, ratios: computeRatios(all, options.shape), missed }, null, 2)}\n`,
    )
  else
    process.stdout.write(
      `${formatBenchReport(all, options.shape)}\n${JSON.stringify(machine)}\n${missed.map((line) => `SHORT: ${line}\n`).join('')}`,
    )
  return missed.length > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  say(error.message)
  process.exitCode = 2
}
