/** The `conformance wallet` command: from options to an exit code. */
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isGood, type Report, totalsOf } from '../report.ts'
import { type ReportWriter, writerFor } from '../report-file.ts'
import { jsonReport } from '../report-json.ts'
import { coloured, plain, progressOn, type Terminal, terminalReport } from '../terminal.ts'
import type { Case } from './case.ts'
import { CASES } from './cases/all.ts'
import { BadFixtures, type Fixtures, OperatorUnreachable } from './fixtures.ts'
import { readFixturesFile } from './fixtures-file.ts'
import { createOperatorFixtures } from './fixtures-operator.ts'
import { runKit, TargetUnreachable } from './run.ts'

export interface ConformanceWalletFlags {
  readonly baseUrl?: string
  readonly secret?: string
  readonly fixtures?: string
  readonly operatorApi?: string
  readonly operatorKey?: string
  readonly only?: readonly string[]
  readonly list?: true
  readonly strict?: true
  readonly json?: true
  readonly report?: readonly string[]
  readonly unmasked?: true
}

export interface CommandDeps {
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly noColour: boolean
  readonly signal: AbortSignal
}

const EXIT = { good: 0, findings: 1, wrongUse: 2, unreachable: 3, interrupted: 130 } as const

/** Resolves to the exit code. */
export async function runConformanceWallet(flags: ConformanceWalletFlags, deps: CommandDeps): Promise<number> {
  try {
    const cases = chosenCases(flags.only ?? [])
    if (flags.list) return listCases(cases, flags, deps)
    return await judge(cases, flags, deps)
  } catch (error) {
    const isUnreachable = error instanceof TargetUnreachable || error instanceof OperatorUnreachable
    if (!(isUnreachable || error instanceof WrongUse || error instanceof BadFixtures)) throw error
    deps.stderr.write(`purser: ${error.message}\n`)
    return isUnreachable ? EXIT.unreachable : EXIT.wrongUse
  }
}

class WrongUse extends Error {}

/** Ids and beginnings of ids. */
function chosenCases(only: readonly string[]): readonly Case[] {
  const unknown = only.filter((wish) => !CASES.some(({ id }) => id.startsWith(wish)))
  if (unknown.length > 0) throw new WrongUse(`--only: there is no case ${unknown.join(', ')}; --list shows them`)
  return only.length === 0 ? CASES : CASES.filter(({ id }) => only.some((wish) => id.startsWith(wish)))
}

function listCases(cases: readonly Case[], { json }: ConformanceWalletFlags, { stdout }: CommandDeps): number {
  const facts = cases.map(({ id, level, clause, sentence, loses, covers }) => ({
    id,
    level,
    clause,
    sentence,
    loses,
    covers,
  }))
  if (json) stdout.write(`${JSON.stringify(facts, null, 2)}\n`)
  else for (const { id, level, sentence } of facts) stdout.write(`${id.padEnd(14)}${level.padEnd(8)}${sentence}\n`)
  return EXIT.good
}

async function judge(cases: readonly Case[], flags: ConformanceWalletFlags, deps: CommandDeps): Promise<number> {
  const { baseUrl, secret } = required(flags)
  const files = reportFiles(flags)
  const { fixtures, close } = fixturesFor(flags)
  const progress = progressOn(deps.stderr, cases.length)
  try {
    const options = { baseUrl, secret, fixtures, cases, signal: deps.signal, isStrict: flags.strict === true }
    const report = await runKit({ ...options, onResult: progress.show })
    progress.end()
    print(report, flags, deps)
    for (const { file, write } of files) writeFileSync(file, write(report))
    return exitCodeOf(report, deps)
  } finally {
    progress.end()
    await close()
  }
}

function print(report: Report, { json }: ConformanceWalletFlags, { stdout, noColour }: CommandDeps): void {
  const paint = stdout.isTTY && !noColour ? coloured : plain
  stdout.write(json ? jsonReport(report) : `${terminalReport(report, paint)}\n`)
}

function exitCodeOf(report: Report, { stderr }: CommandDeps): number {
  if (report.wasInterrupted) return EXIT.interrupted
  if (totalsOf(report).notJudged < report.results.length) return isGood(report) ? EXIT.good : EXIT.findings
  stderr.write('purser: nothing could be judged with these players\n')
  return EXIT.wrongUse
}

/** Asked for before the run, so that its report is not lost at the end. */
function reportFiles({ report = [], unmasked }: ConformanceWalletFlags): { file: string; write: ReportWriter }[] {
  return report.map((file) => {
    const write = writerFor(file, { isUnmasked: unmasked === true })
    if (write === undefined) throw new WrongUse(`--report: ${file} must end in .html, .xml or .json`)
    try {
      accessSync(dirname(file), constants.W_OK)
    } catch {
      throw new WrongUse(`--report: ${dirname(file)} is no folder that can be written to`)
    }
    return { file, write }
  })
}

/** What need not stand in a command line, where others see it. Of several secrets, valid at once, any will do. */
export function secretsOf({ PARTNER_SECRET: secrets, OPERATOR_API_KEY: operatorKey }: NodeJS.ProcessEnv) {
  const [secret] = secrets?.split(',') ?? []
  return { ...(secret !== undefined && { secret }), ...(operatorKey !== undefined && { operatorKey }) }
}

function required({ baseUrl, secret }: ConformanceWalletFlags): { baseUrl: string; secret: string } {
  if (baseUrl === undefined || !/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw new WrongUse('give --base-url, the address of the wallet, as in https://wallet.example')
  if (secret === undefined || secret === '')
    throw new WrongUse('give --secret or set PARTNER_SECRET, the shared secret')
  return { baseUrl, secret }
}

function fixturesFor({ fixtures, operatorApi, operatorKey }: ConformanceWalletFlags): {
  fixtures: Fixtures
  close: () => Promise<void>
} {
  if ((fixtures === undefined) === (operatorApi === undefined))
    throw new WrongUse(
      'say where players come from: --fixtures FILE for any wallet, or --operator-api URL for a Purser wallet',
    )
  if (fixtures !== undefined) return { fixtures: readFixturesFile(readFile(fixtures)), close: async () => {} }
  if (operatorKey === undefined) throw new WrongUse('give --operator-key or set OPERATOR_API_KEY')
  if (operatorApi === undefined || !URL.canParse(operatorApi))
    throw new WrongUse('--operator-api must be an http address')
  const made = createOperatorFixtures({ url: operatorApi, key: operatorKey })
  return { fixtures: made, close: made.close }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new WrongUse(`--fixtures: ${error instanceof Error ? error.message : error}`)
  }
}
