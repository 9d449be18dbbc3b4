// The delivery bench: a platform, our own wallet and one Postgres on one machine. See README.md in
// this folder.
import { existsSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { type BenchPostgres, disk, startBenchPostgres } from '../postgres.ts'
import { MAIN } from '../subjects.ts'
import { benchFinal, formatFinalReport } from './final-report.ts'
import { DELIVER_HELP, type DeliverOptions, parseDeliverOptions, UsageError } from './options.ts'
import { type DeliverResult, findDeliverShortfalls, formatDeliverReport, judgeDeliver } from './report.ts'
import { placeBets } from './seed.ts'
import { type DeliverMeasurement, measureEndToEnd, measureSituation, SITUATIONS, type Situation } from './situation.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)

async function bench(options: DeliverOptions): Promise<DeliverResult> {
  const postgres = await startBenchPostgres()
  try {
    say(`${options.half} bets through the wallet …`)
    await postgres.create('deliver_seed')
    await placeBets(postgres.url('deliver_seed'), options.half)
    return await measureInTurn(postgres, options)
  } finally {
    await postgres.stop()
  }
}

/**
 * Rounds are interleaved and each begins with another situation, so that other work on the machine
 * slows all alike.
 */
async function measureInTurn(postgres: BenchPostgres, options: DeliverOptions): Promise<DeliverResult> {
  const wanted = SITUATIONS.filter((situation) => situation === 'alone' || options.rows.includes(situation))
  const situations = new Map<Situation, DeliverMeasurement[]>(wanted.map((situation) => [situation, []]))
  const result: DeliverResult = { endToEnd: [], situations }
  for (let round = 0; round < options.rounds; round++) {
    if (options.rows.includes('result to last')) {
      const whole = await measureEndToEnd(postgres)
      result.endToEnd.push(whole)
      say(`round ${round + 1} result to last: ${Math.round(whole.settlesPerSecond)} settles/s`)
    }
    for (let turn = 0; turn < wanted.length; turn++) {
      const situation = wanted[(round + turn) % wanted.length]!
      const measurement = await measureSituation(postgres, situation, options)
      situations.get(situation)!.push(measurement)
      say(`round ${round + 1} ${situation}: ${Math.round(measurement.settlesPerSecond)} settles/s`)
    }
  }
  return result
}

async function main(): Promise<number> {
  const options = parseDeliverOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(`${DELIVER_HELP}\n`)
    return 0
  }
  if (!existsSync(MAIN)) throw new UsageError('packages/server/dist/main.js is missing: npm run build')
  const { isRam, fdatasyncMs } = disk()
  if (isRam) throw new UsageError('TMPDIR is on a RAM disk, where fsync costs nothing: set it to a folder on a disk')
  const [load = 0] = loadavg()
  const machine = { cores: availableParallelism(), node: process.version, fdatasyncMs, loadBefore: load }
  if (options.cost !== undefined || options.final !== undefined) {
    const result = await benchFinal(options)
    process.stdout.write(
      options.json ? `${JSON.stringify({ machine, options, ...result }, null, 2)}\n` : formatFinalReport(result),
    )
    return [...result.costs, ...result.finals].some(({ faults }) => faults.length > 0) ? 1 : 0
  }
  const result = await bench(options)
  const missed = findDeliverShortfalls(result)
  const situations = Object.fromEntries(result.situations)
  if (options.json) {
    const json = { machine, options, ...result, situations, verdicts: judgeDeliver(result), missed }
    process.stdout.write(`${JSON.stringify(json, null, 2)}\n`)
  } else {
    const short = missed.map((line) => `SHORT: ${line}\n`).join('')
    process.stdout.write(`${formatDeliverReport(result)}\n${JSON.stringify(machine)}\n${short}`)
  }
  return missed.length > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  say(error.message)
  process.exitCode = 2
}
