/**
 * The command `npm run simulate`: plays simulated wallets and platforms with faults on purpose, and
 * reports broken rules.
 *
 * Exit codes: 0 no findings, 1 findings, 2 wrong use, 130 stopped.
 */
import { existsSync, readFileSync } from 'node:fs'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { ignoreClosedPipes } from '@purser/runtime/command/stop-signals'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Rules } from 'purser/wallet/rules/decision'
import { formatOutput, requireFiguresPlace, writeFigures } from './doc-figures.ts'
import { type HistorySearchResult, replayHistory, searchHistories } from './one-bet/history-search.ts'
import { describeAction, formatHistory, parseRecordedHistory, type RecordedAction } from './one-bet/one-bet-actions.ts'

/**
 * Seven steps take 1.5 GB of memory. Each further step takes six times as long, and more memory.
 */
const MAX_LENGTH = 7
const NIGHT_RUNS = 20_000

type Clawback = Rules['clawback']
const POLICIES: readonly Clawback[] = ['refuse', 'allow-negative']

interface Flags {
  readonly level: number
  readonly seed: number
  readonly runs: number
  readonly night?: true | string
  readonly file?: string
  readonly shrink?: string
  readonly planted?: string
  readonly write?: string
  readonly length: number
  readonly clawback?: Clawback
  readonly history?: readonly RecordedAction[]
}

const program = new Command('simulate')
  .description(
    'Checks every history of one bet by the wallet’s rules, by an independent auditor written from decisions.md, and by money invariants; or plays whole markets with injected faults',
  )
  .option(
    '--level <number>',
    '1 searches one bet with the pure rules; 2 plays a market from seeds; 3 plays two wallets and a platform on a real Postgres from seeds',
    toLevel,
    1,
  )
  .option('--seed <number>', 'the seed of the first run', toCount, 1)
  .option('--runs <number>', 'the number of runs, each with the next seed', toCount, 20)
  .option(
    '--night [path]',
    'plays 20,000 runs of level 2, which must reach every situation; with a file the command records its progress there and continues from it',
  )
  .option('--file <path>', 'plays the run that a failure has stored in this file')
  .option('--shrink <path>', 'shortens the run in this file while it fails in the same way')
  .option(
    '--planted <path>',
    'runs level 2 or 3 against each planted fault, and writes the table of results to this file',
  )
  .option('--write <page>', 'writes the figures to their place in this page, if no run failed')
  .option('--length <steps>', `the maximum number of steps, ${MAX_LENGTH} at most`, toLength, 6)
  .addOption(new Option('--clawback <policy>', 'searches only with this policy (L-2)').choices(POLICIES))
  .option(
    '--history <steps or file>',
    'checks only this history, given as steps: "place; settle 25; (lock); settle 0"; or as the file of a bet from the console',
    toHistory,
  )
  .action(async (flags: Flags) => {
    const { level, write: page } = flags
    const of = `level ${level < 3 && isOfMarkets(flags) ? 2 : level}`
    if (page !== undefined) requireFiguresPlace(page, of)
    const isGood =
      readLevel(flags) === 3
        ? await playLocks(flags)
        : isOfMarkets(flags)
          ? await playMarkets(flags)
          : playOneBet(flags)
    if (!isGood) process.exitCode ??= EXIT_CODES.findings
    else if (page !== undefined) writeFigures(page, { of, command: formatCommand(), text: formatOutput(printedLines) })
  })

function isOfMarkets({ level, ...of }: Flags): boolean {
  return level === 2 || [of.night, of.file, of.shrink, of.planted].some((given) => given !== undefined)
}

/** The command as it was typed, without `--write`. */
function formatCommand(): string {
  const flags = process.argv.slice(2).join(' ')
  return `npm run simulate -- ${flags.replace(/ ?--write[= ]\S+/, '').trim()}`.replace(/ -- $/, '')
}

/** A saved run contains its level, which then replaces `--level`. */
function readLevel({ level, file, shrink }: Flags): number {
  const path = file ?? shrink
  if (path === undefined) return level
  if (!existsSync(path)) throw new UsageError(`the file ${path} does not exist`)
  const { level: itsOwn = 2 } = JSON.parse(readFileSync(path, 'utf8')) as { level?: number }
  return itsOwn
}

/**
 * Returns true without findings. Levels 2 and 3 are imported on demand, because they load a
 * database.
 */
async function playLocks(flags: Flags): Promise<boolean> {
  const { file, shrink, planted } = flags
  const { findPlantedLocks, replayLocksFile, shrinkLocksFile, simulateLocks } = await import(
    './postgres/locks-command.ts'
  )
  if (file !== undefined) return replayLocksFile(file, print)
  if (shrink !== undefined) return shrinkLocksFile(shrink, print)
  if (planted !== undefined) return findPlantedLocks(planted, print)
  return simulateLocks(flags, print, progress)
}

function playOneBet({ length, clawback, history }: Flags): boolean {
  const policies = clawback === undefined ? POLICIES : [clawback]
  return history === undefined ? searchAll(policies, length) : checkHistory(policies, history)
}

async function playMarkets({ seed, runs, night, file: path, shrink, planted }: Flags): Promise<boolean> {
  const { findPlantedFaults, replayRunFile, shrinkRunFile, simulateMarkets, simulateNight } = await import(
    './market/market-command.ts'
  )
  if (path !== undefined) return replayRunFile(path, print)
  if (shrink !== undefined) return shrinkRunFile(shrink, print)
  if (planted !== undefined) return findPlantedFaults(planted, print)
  const range = { seed, runs: night === undefined ? runs : NIGHT_RUNS }
  if (typeof night !== 'string') return simulateMarkets(range, print, progress)
  const end = await simulateNight(night, range, print, progress)
  if (end === 'runs are left') process.exitCode = EXIT_CODES.interrupted
  return end === 'good'
}

function searchAll(policies: readonly Clawback[], length: number): boolean {
  return policies.map((policy) => searchPolicy(policy, length)).every((isGood) => isGood)
}

function searchPolicy(clawback: Clawback, length: number): boolean {
  const startedAt = performance.now()
  const searched = searchHistories({ length, clawback })
  print(`clawback ${clawback}: ${formatSearch(searched, length, Math.trunc(performance.now() - startedAt))}`)
  if (searched.found === undefined) return true
  printHistory(
    clawback,
    searched.found.history.map((action) => ({ action })),
  )
  print(`  again: npm run simulate -- --clawback ${clawback} --history "${formatHistory(searched.found.history)}"`)
  return false
}

function formatSearch({ histories, steps, situations, met }: HistorySearchResult, length: number, ms: number): string {
  const perMinute = Math.trunc(histories / (Math.max(1, ms) / 60_000))
  const answers = [...met].map(([answer, times]) => `${formatCount(times)} × ${answer}`).join(', ')
  return (
    `${formatCount(histories)} histories of up to ${length} steps in ${formatCount(ms)} ms, ${formatCount(perMinute)} a minute: ` +
    `${formatCount(steps)} steps from ${formatCount(situations)} situations\n  they end with ${answers}`
  )
}

/** The record of a bet does not contain the wallet's policy. */
function checkHistory(policies: readonly Clawback[], history: readonly RecordedAction[]): boolean {
  const results = policies.map((policy) => printHistory(policy, history))
  return results.every(({ isFound }) => !isFound) && results.some(({ different }) => different === 0)
}

/** `different`: the number of answers that differ from the recorded ones. */
function printHistory(clawback: Clawback, history: readonly RecordedAction[]): { different: number; isFound: boolean } {
  const { steps, complaint } = replayHistory(
    history.map(({ action }) => action),
    { clawback },
  )
  let different = 0
  print(`clawback ${clawback}:`)
  for (const [i, { answer, position }] of steps.entries()) {
    const { action, was } = history[i] as RecordedAction
    const isOther = was !== undefined && answer?.split(' ')[0] !== was
    if (isOther) different++
    const answerText = answer === undefined ? '' : `answered ${answer}, ${isOther ? `was ${was} then, ` : ''}`
    print(`  ${i + 1}. ${describeAction(action)}: ${answerText}balance ${position.state.account.balance}`)
  }
  if (complaint !== undefined) print(`  FOUND: ${complaint}`)
  else if (different > 0) print(`  as it must be, but not as it was: ${different} answered differently`)
  else print('  as it must be')
  return { different, isFound: complaint !== undefined }
}

const printedLines: string[] = []

function print(line: string): void {
  printedLines.push(line)
  process.stdout.write(`${line}\n`)
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`)
}

function formatCount(count: number): string {
  return count.toLocaleString('en')
}

function toLevel(text: string): number {
  if (/^[123]$/.test(text)) return Number.parseInt(text, 10)
  throw new InvalidArgumentError('It must be 1, 2 or 3.')
}

function toCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : 0
  if (count > 0) return count
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

function toLength(text: string): number {
  const length = /^\d$/.test(text) ? Number.parseInt(text, 10) : 0
  if (length >= 1 && length <= MAX_LENGTH) return length
  throw new InvalidArgumentError(`It must be a number of steps from 1 to ${MAX_LENGTH}.`)
}

function toHistory(text: string): readonly RecordedAction[] {
  const history =
    parseRecordedHistory(text) ?? (existsSync(text) ? parseRecordedHistory(readFileSync(text, 'utf8')) : undefined)
  if (history !== undefined) return history
  throw new InvalidArgumentError(
    'It must be a list of steps with ";" between them, as a failure prints it, or a file that the console has saved.',
  )
}

ignoreClosedPipes()
program.exitOverride()
await program.parseAsync().catch((error: { exitCode?: number; code?: string }) => {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
    return
  }
  if (error.exitCode === undefined) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
})
