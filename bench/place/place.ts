// The placement bench: users, a platform, a partner that accepts every call, and one Postgres on
// one machine. See README.md in this folder.
import { availableParallelism } from 'node:os'
import { UsageError } from '../arguments.ts'
import { type BenchPostgres, disk, startBenchPostgres } from '../postgres.ts'
import { computeMedian } from '../report.ts'
import { MAIN } from '../subjects.ts'
import { countStatements, measurePlacements, type PlaceMeasurement } from './measure.ts'
import { PLACE_HELP, type PlaceOptions, parsePlaceOptions } from './options.ts'

/** Each round begins with another build, since a machine's speed changes during the run. */
async function measureAll(postgres: BenchPostgres, options: PlaceOptions): Promise<PlaceMeasurement[]> {
  const { mains, rounds } = options
  const all: PlaceMeasurement[] = []
  for (let round = 0; round < rounds; round++) {
    const first = round % mains.length
    for (const main of [...mains.slice(first), ...mains.slice(0, first)]) {
      const measured = await measurePlacements(postgres, main, options)
      all.push(measured)
      process.stderr.write(`round ${round + 1} ${main}: ${Math.trunc(speedOf(measured))} bets/s\n`)
    }
  }
  return all
}

const speedOf = ({ placed }: PlaceMeasurement) => placed.accepted / placed.seconds
const HEAD = [
  '',
  'bets/s',
  'lowest–highest',
  'p50 ms',
  'p99 ms',
  'statements',
  'commits',
  'WAL bytes',
  'µs of platform + Postgres',
]

function row(main: string, runs: readonly PlaceMeasurement[], statements: number): string {
  const of = (figure: (run: PlaceMeasurement) => number) => runs.map(figure).toSorted((a, b) => a - b)
  const middle = (figure: (run: PlaceMeasurement) => number) => computeMedian(of(figure))
  const speeds = of(speedOf).map(Math.trunc)
  const times = [middle(({ placed }) => placed.p50Ms), middle(({ placed }) => placed.p99Ms)]
  const costs = [middle((run) => run.platform), middle((run) => run.postgres)].map(Math.trunc)
  return line([
    main === MAIN ? 'platform' : main,
    Math.trunc(middle(speedOf)),
    `${speeds[0]}–${speeds.at(-1)}`,
    ...times.map((time) => rounded(time, 10)),
    rounded(statements, 100),
    rounded(
      middle((run) => run.commits),
      1_000,
    ),
    Math.trunc(middle((run) => run.walBytes)),
    costs.join(' + '),
  ])
}

const rounded = (value: number, parts: number) => Math.round(value * parts) / parts
const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |\n`

async function bench(options: PlaceOptions): Promise<number> {
  const { isRam, fdatasyncMs } = disk()
  if (isRam) throw new UsageError('TMPDIR is on a RAM disk, where fsync costs nothing: set it to a folder on a disk')
  const postgres = await startBenchPostgres()
  try {
    const all = await measureAll(postgres, options)
    process.stdout.write(line(HEAD) + line(HEAD.map(() => '---')))
    for (const main of options.mains) {
      const statements = await countStatements(postgres, main, { ...options, seconds: Math.min(options.seconds, 2) })
      process.stdout.write(
        row(
          main,
          all.filter((run) => run.main === main),
          statements,
        ),
      )
    }
    process.stdout.write(`${JSON.stringify({ cores: availableParallelism(), node: process.version, fdatasyncMs })}\n`)
    const faults = all.flatMap((run) => run.faults.map((fault) => `SHORT: ${run.main}: ${fault}\n`))
    process.stdout.write(faults.join(''))
    return faults.length > 0 ? 1 : 0
  } finally {
    await postgres.stop()
  }
}

try {
  const options = parsePlaceOptions(process.argv.slice(2))
  if (options === 'help') process.stdout.write(`${PLACE_HELP}\n`)
  else process.exitCode = await bench(options)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
