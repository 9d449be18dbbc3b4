/**
 * The command `npm run fuzz`: generates unusual inputs from a seed, and judges the results of our
 * code.
 *
 * Exit codes: 0 no findings, 1 findings, 2 wrong use.
 */
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Command, InvalidArgumentError, Option } from 'commander'
import { keepInput, readInput } from './corpus.ts'
import { complaintOf, fuzz, makeInput, startsOf } from './run.ts'
import { countSteps } from './steps.ts'
import { shareOf, TARGETS } from './targets.ts'

const NIGHT = 1_000_000
/** Milliseconds in which the number of the current input must change. */
const STUCK_MS = 60_000

interface Flags {
  readonly target?: string
  readonly seed: number
  readonly inputs: number
  readonly night?: true
  readonly replay?: string
}

interface Job {
  readonly name: string
  readonly seed: number
  readonly inputs: number
  /** The number of the current input. */
  readonly under: Int32Array
}

interface FuzzReport {
  readonly inputs: number
  readonly path?: string
  readonly complaint?: string
}

const NAMES = TARGETS.map(({ name }) => name)
const named = (name: string) => TARGETS.find((target) => target.name === name) as (typeof TARGETS)[number]

async function work({ name, seed, inputs, under }: Job): Promise<FuzzReport> {
  const onInput = (number: number) => void Atomics.store(under, 0, number)
  const { found, ...counted } = await fuzz(named(name), { seed, inputs, onInput }, countSteps())
  return found === undefined ? counted : { ...counted, complaint: found.complaint, path: keepInput(name, found.input) }
}

/** Runs the job in a worker thread, which is terminated if an input does not end. */
function watched(job: Omit<Job, 'under'>): Promise<FuzzReport> {
  const under = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { ...job, under } })
  let last = -1
  let saidAt = 0
  return new Promise<FuzzReport>((resolve, reject) => {
    const watch = setInterval(() => {
      const number = Atomics.load(under, 0)
      if (number === last) return void stuck(number).then(resolve, reject)
      last = number
      if (number - saidAt >= 10_000) say(`  ${job.name}: ${number} of ${job.inputs}`)
      saidAt = number
    }, STUCK_MS / 2)
    const stuck = async (number: number): Promise<FuzzReport> => {
      clearInterval(watch)
      await worker.terminate()
      const path = keepInput(job.name, makeInput(named(job.name), startsOf(named(job.name)), job.seed, number))
      return { inputs: number, path, complaint: `no end within ${STUCK_MS / 1_000} s` }
    }
    worker.once('message', resolve).once('error', reject)
    worker.once('exit', () => clearInterval(watch))
  })
}

async function fuzzTarget(name: string, { seed, inputs, night }: Flags): Promise<boolean> {
  const startedAt = performance.now()
  const wanted = night === true ? Math.trunc(NIGHT * shareOf(name)) : inputs
  const report = await watched({ name, seed, inputs: wanted })
  const seconds = Math.max(1, Math.trunc((performance.now() - startedAt) / 1_000))
  say(`${name}: ${report.inputs.toLocaleString('en')} inputs in ${seconds} s, seed ${seed}`)
  if (report.complaint === undefined) return true
  say(`  FOUND: ${report.complaint}`)
  say(`  kept as ${report.path}`)
  say(`  again: npm run fuzz -- --target ${name} --replay ${report.path}`)
  return false
}

async function replay(name: string, path: string): Promise<boolean> {
  const complaint = await complaintOf(named(name), readInput(path), countSteps())
  say(complaint === undefined ? `${path}: as it must be` : `${path}: FOUND: ${complaint}`)
  return complaint === undefined
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function toCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : 0
  if (count > 0) return count
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

const program = new Command('fuzz')
  .description('inputs that nobody would write, each from a seed, for all that reads what others write')
  .addOption(new Option('--target <name>', 'this one only').choices(NAMES))
  .option('--seed <number>', 'what the inputs follow from', toCount, 1)
  .option('--inputs <number>', 'so many of each target', toCount, 10_000)
  .option('--night', `${NIGHT.toLocaleString('en')} over all targets`)
  .option('--replay <file>', 'this input of the corpus only, with --target')
  .action(async (flags: Flags) => {
    if (flags.replay !== undefined) {
      if (flags.target === undefined) throw new InvalidArgumentError('--replay needs --target')
      process.exitCode = (await replay(flags.target, flags.replay)) ? 0 : 1
      return
    }
    for (const name of flags.target === undefined ? NAMES : [flags.target])
      if (!(await fuzzTarget(name, flags))) process.exitCode = 1
  })
  .exitOverride()

async function main(): Promise<void> {
  await program.parseAsync().catch((error: { exitCode?: number }) => {
    if (error.exitCode === undefined) throw error
    process.exitCode = error.exitCode === 0 ? 0 : 2
  })
}

if (isMainThread) await main()
else parentPort?.postMessage(await work(workerData as Job))
