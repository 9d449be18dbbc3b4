/**
 * What `conformance wallet` and `conformance platform` have in common: from options over the run, or its end by Ctrl-C, to
 * the report and the exit code. What differs is a Kit.
 */
import { readFileSync } from 'node:fs'
import { fileErrorText } from '../runtime/file-error.ts'
import { type Headers, readHeaders } from '../runtime/headers.ts'
import { printableLines } from '../runtime/printable.ts'
import { type ReportFile, reportFileOf, writeReport } from '../runtime/report-file.ts'
import { Unreachable, WrongUse } from '../runtime/wrong-use.ts'
import { againOf, type Option } from './again.ts'
import type { CaseFacts } from './case-facts.ts'
import { type Expected, readExpected, withExpected } from './expected.ts'
import { type Pace, paceOf, UNPACED } from './pace.ts'
import { htmlReport } from './report/html.ts'
import { jsonReport } from './report/json.ts'
import { junitReport } from './report/junit.ts'
import { masked } from './report/masked.ts'
import { type CaseResult, isGood, type Report } from './report/report.ts'
import { coloured, plain, progressOn, type Terminal, terminalReport } from './report/terminal.ts'

export interface CommonFlags {
  readonly only?: readonly string[]
  readonly list?: true
  readonly strict?: true
  readonly complete?: true
  readonly verbose?: true
  readonly json?: true
  readonly report?: readonly string[]
  readonly unmasked?: true
  readonly showTokens?: true
  readonly expectedFailures?: string
  readonly header?: readonly string[]
  readonly pace?: string
}

export interface CommandDeps {
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly noColour: boolean
  readonly signal: AbortSignal
  /** What need not stand in a command line, where others see it. */
  readonly env?: NodeJS.ProcessEnv
}

export interface RunHow {
  readonly headers: Headers
  readonly pace: Pace
  readonly isStrict: boolean
  /** Ends the run; what is not judged by then is not judged. */
  readonly signal: AbortSignal
  readonly onResult: (result: CaseResult) => void
}

export interface Kit<C extends CaseFacts> {
  readonly judged: Report['judged']
  readonly cases: readonly C[]
  /** The options that say what is judged, for a command that judges it again. */
  readonly target: readonly Option[]
  /** Reads the other options. Throws WrongUse. */
  prepare(): Judge<C>
}

export interface Judge<C extends CaseFacts> {
  /** Rejects with WrongUse or Unreachable when it cannot begin; whatever is judged is a verdict. */
  run(cases: readonly C[], how: RunHow): Promise<Report>
  close(): Promise<void>
}

const EXIT = { good: 0, findings: 1, wrongUse: 2, unreachable: 3, interrupted: 130 } as const

/** Resolves to the exit code. */
export async function runCommand<C extends CaseFacts>(
  kit: Kit<C>,
  flags: CommonFlags,
  deps: CommandDeps,
): Promise<number> {
  try {
    const cases = chosenCases(kit.cases, flags.only ?? [])
    if (flags.list) return listCases(cases, flags, deps)
    return await judge(kit, cases, flags, deps)
  } catch (error) {
    if (!(error instanceof Unreachable || error instanceof WrongUse)) throw error
    deps.stderr.write(`${printableLines(`purser: ${error.message}`)}\n`)
    return error instanceof Unreachable ? EXIT.unreachable : EXIT.wrongUse
  }
}

/** Ids and beginnings of ids. */
function chosenCases<C extends CaseFacts>(all: readonly C[], only: readonly string[]): readonly C[] {
  const unknown = only.filter((wish) => !all.some(({ id }) => id.startsWith(wish)))
  if (unknown.length > 0) throw new WrongUse(`--only: there is no case ${unknown.join(', ')}; --list shows them`)
  return only.length === 0 ? all : all.filter(({ id }) => only.some((wish) => id.startsWith(wish)))
}

function listCases(cases: readonly CaseFacts[], { json }: CommonFlags, { stdout }: CommandDeps): number {
  const facts = cases.map(({ id, level, clause, sentence, loses, covers }) => ({
    ...{ id, level, clause, sentence, loses, covers },
  }))
  const width = Math.max(...cases.map(({ id }) => id.length)) + 2
  if (json) stdout.write(`${JSON.stringify(facts, null, 2)}\n`)
  else for (const { id, level, sentence } of facts) stdout.write(`${id.padEnd(width)}${level.padEnd(8)}${sentence}\n`)
  return EXIT.good
}

async function judge<C extends CaseFacts>(
  kit: Kit<C>,
  cases: readonly C[],
  flags: CommonFlags,
  deps: CommandDeps,
): Promise<number> {
  const { files, expected, headers, pace } = readFlags(kit, flags)
  const { run, close } = kit.prepare()
  const progress = progressOn(deps.stderr, cases.length)
  const how = { headers, pace, isStrict: flags.strict === true, signal: deps.signal, onResult: progress.show }
  try {
    const found = await run(cases, how)
    progress.end()
    const command = againOf(kit.judged, kit.target, flags)
    const report: Report = {
      ...{ ...found, command, results: withExpected(found.results, expected) },
      ...(flags.complete && { isComplete: true }),
      ...(cases.length < kit.cases.length && { isPart: true }),
    }
    const shareable = masked(report, headers)
    print(flags.showTokens ? report : shareable, flags, deps)
    const isPrinted = flags.json === true
    for (const file of files) writeReport(file, flags.unmasked ? report : shareable, { ...deps, isPrinted })
    return exitCodeOf(report, deps)
  } finally {
    progress.end()
    await close()
  }
}

const WRITERS = { html: htmlReport, xml: junitReport, json: jsonReport }

interface ReadFlags {
  readonly files: readonly ReportFile<Report>[]
  readonly expected: Expected
  readonly headers: Headers
  readonly pace: Pace
}

/** All that can be wrong is said before anything is sent. */
function readFlags({ cases }: Pick<Kit<CaseFacts>, 'cases'>, flags: CommonFlags): ReadFlags {
  const { report = [], expectedFailures: file, header = [] } = flags
  const ids = cases.map(({ id }) => id)
  return {
    files: report.map((file) => reportFileOf(WRITERS, file)),
    expected: file === undefined ? new Map() : readExpected(readText('--expected-failures', file), ids),
    headers: readHeaders(header),
    pace: readPace(flags),
  }
}

const MAX_PACE = 10_000

function readPace({ pace }: CommonFlags): Pace {
  if (pace === undefined) return UNPACED
  const calls = /^\d{1,5}$/.test(pace) ? Number.parseInt(pace, 10) : 0
  if (calls < 1 || calls > MAX_PACE) throw new WrongUse('--pace: give whole calls per second, as in --pace 5')
  return paceOf(calls)
}

/** Throws WrongUse, which names the option. */
export function readText(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new WrongUse(`${option}: ${fileErrorText(error)}`)
  }
}

function print(report: Report, { json, verbose }: CommonFlags, { stdout, noColour }: CommandDeps): void {
  const paint = stdout.isTTY && !noColour ? coloured : plain
  stdout.write(json ? printableLines(jsonReport(report)) : `${terminalReport(report, paint, verbose)}\n`)
}

/** A run in which nothing could be judged was asked for in vain, or did not reach what it should judge. */
function exitCodeOf(report: Report, { stderr }: CommandDeps): number {
  if (report.wasInterrupted) return EXIT.interrupted
  const { results } = report
  if (results.some(({ verdict }) => verdict.kind !== 'not judged')) return isGood(report) ? EXIT.good : EXIT.findings
  stderr.write('purser: nothing could be judged\n')
  return isGood(report) ? EXIT.wrongUse : EXIT.unreachable
}
