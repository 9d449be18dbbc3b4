/**
 * Common part of `conformance wallet` and `conformance platform`: options, run, report, exit code.
 *
 * ConformanceSuite describes the parts that differ. A run that Ctrl-C ends is also reported.
 */
import { readFileSync } from 'node:fs'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { UnavailableError, UsageError } from '@purser/runtime/errors/cli-errors'
import { fileErrorText } from '@purser/runtime/errors/file-error'
import { type ExtraHeaders, parseHeaders } from '@purser/runtime/network/extra-headers'
import { printableLines } from '@purser/runtime/text/printable-text'
import { type ReportFile, resolveReportFile, writeReport } from '@purser/runtime/text/report-file'
import type { CaseFacts } from './case-facts.ts'
import { type ExpectedFailures, markExpectedFailures, parseExpectedFailures } from './expected-failures.ts'
import { type CallRateLimiter, createCallRateLimiter, NO_RATE_LIMIT } from './rate-limiter.ts'
import { type CaseResult, type ConformanceReport, formatConformanceJson, isGood } from './reports/conformance-report.ts'
import { renderConformanceHtml } from './reports/html/html-report.ts'
import { formatJunitReport } from './reports/junit-report.ts'
import { redactReport } from './reports/report-redaction.ts'
import {
  colouredReportPaint,
  createCaseProgress,
  formatTerminalReport,
  plainReportPaint,
  type ReportTerminal,
} from './reports/terminal-report.ts'
import { type CommandOption, formatRerunCommand } from './rerun-command.ts'

export interface CommonConformanceFlags {
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

export interface ConformanceDeps {
  readonly stdout: ReportTerminal
  readonly stderr: ReportTerminal
  readonly noColour: boolean
  readonly signal: AbortSignal
  /** The command that the report repeats: `purser conformance` or `purser-conformance`. */
  readonly program: string
  /** For secrets, which must not be visible in a command line. */
  readonly env?: NodeJS.ProcessEnv
}

export interface KitRunSettings {
  readonly headers: ExtraHeaders
  readonly pace: CallRateLimiter
  readonly isStrict: boolean
  /** Ends the run. The remaining cases are not judged. */
  readonly signal: AbortSignal
  readonly onResult: (result: CaseResult) => void
}

export interface ConformanceSuite<C extends CaseFacts> {
  readonly judged: ConformanceReport['judged']
  readonly cases: readonly C[]
  /** The options that identify the target, for the rerun command. */
  readonly target: readonly CommandOption[]
  /** Reads the other options. Throws UsageError. */
  prepare(): PreparedSuite<C>
}

export interface PreparedSuite<C extends CaseFacts> {
  /**
   * Rejects with UsageError or UnavailableError if the run cannot begin. Later problems are
   * verdicts.
   */
  run(cases: readonly C[], how: KitRunSettings): Promise<ConformanceReport>
  close(): Promise<void>
}

const EXIT = { good: 0, ...EXIT_CODES } as const

/** Resolves to the exit code. */
export async function runConformanceCommand<C extends CaseFacts>(
  kit: ConformanceSuite<C>,
  flags: CommonConformanceFlags,
  deps: ConformanceDeps,
): Promise<number> {
  try {
    const cases = selectCases(kit.cases, flags.only ?? [])
    if (flags.list) return listCases(cases, flags, deps)
    return await judgeTarget(kit, cases, flags, deps)
  } catch (error) {
    if (!(error instanceof UnavailableError || error instanceof UsageError)) throw error
    deps.stderr.write(`${printableLines(`${nameOfProgram(deps)}: ${error.message}`)}\n`)
    return error instanceof UnavailableError ? EXIT.unreachable : EXIT.wrongUse
  }
}

/** `only` contains ids and prefixes of ids. */
function selectCases<C extends CaseFacts>(all: readonly C[], only: readonly string[]): readonly C[] {
  const unknown = only.filter((prefix) => !all.some(({ id }) => id.startsWith(prefix)))
  if (unknown.length > 0) throw new UsageError(`--only: no such case: ${unknown.join(', ')}; --list shows all cases`)
  return only.length === 0 ? all : all.filter(({ id }) => only.some((prefix) => id.startsWith(prefix)))
}

function listCases(cases: readonly CaseFacts[], { json }: CommonConformanceFlags, { stdout }: ConformanceDeps): number {
  const facts = cases.map(({ id, level, clause, sentence, loses, covers }) => ({
    ...{ id, level, clause, sentence, loses, covers },
  }))
  const width = Math.max(...cases.map(({ id }) => id.length)) + 2
  if (json) stdout.write(`${JSON.stringify(facts, null, 2)}\n`)
  else for (const { id, level, sentence } of facts) stdout.write(`${id.padEnd(width)}${level.padEnd(8)}${sentence}\n`)
  return EXIT.good
}

async function judgeTarget<C extends CaseFacts>(
  kit: ConformanceSuite<C>,
  cases: readonly C[],
  flags: CommonConformanceFlags,
  deps: ConformanceDeps,
): Promise<number> {
  const { files, expected, headers, pace } = parseFlags(kit, flags)
  const { run, close } = kit.prepare()
  const progress = createCaseProgress(deps.stderr, cases.length)
  const how = { headers, pace, isStrict: flags.strict === true, signal: deps.signal, onResult: progress.show }
  try {
    const found = await run(cases, how)
    progress.end()
    const command = formatRerunCommand(kit.judged, kit.target, flags, deps.program)
    const report: ConformanceReport = {
      ...{ ...found, command, results: markExpectedFailures(found.results, expected) },
      ...(flags.complete && { isComplete: true }),
      ...(cases.length < kit.cases.length && { isPart: true }),
    }
    const shareable = redactReport(report, headers)
    printReport(flags.showTokens ? report : shareable, flags, deps)
    const isPrinted = flags.json === true
    for (const file of files)
      writeReport(file, flags.unmasked ? report : shareable, { ...deps, program: nameOfProgram(deps), isPrinted })
    return decideExitCode(report, deps)
  } finally {
    progress.end()
    await close()
  }
}

const WRITERS = { html: renderConformanceHtml, xml: formatJunitReport, json: formatConformanceJson }

interface ParsedFlags {
  readonly files: readonly ReportFile<ConformanceReport>[]
  readonly expected: ExpectedFailures
  readonly headers: ExtraHeaders
  readonly pace: CallRateLimiter
}

/** Every option is checked before the first call. */
function parseFlags({ cases }: Pick<ConformanceSuite<CaseFacts>, 'cases'>, flags: CommonConformanceFlags): ParsedFlags {
  const { report = [], expectedFailures: file, header = [] } = flags
  const ids = cases.map(({ id }) => id)
  return {
    files: report.map((file) => resolveReportFile(WRITERS, file)),
    expected: file === undefined ? new Map() : parseExpectedFailures(readOptionFile('--expected-failures', file), ids),
    headers: parseHeaders(header),
    pace: parsePace(flags),
  }
}

const MAX_PACE = 10_000

function parsePace({ pace }: CommonConformanceFlags): CallRateLimiter {
  if (pace === undefined) return NO_RATE_LIMIT
  const calls = /^\d{1,5}$/.test(pace) ? Number.parseInt(pace, 10) : 0
  if (calls < 1 || calls > MAX_PACE) throw new UsageError('--pace: give whole calls per second, as in --pace 5')
  return createCallRateLimiter(calls)
}

/** Throws a UsageError that names the option. */
export function readOptionFile(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${option}: ${fileErrorText(error)}`)
  }
}

function printReport(
  report: ConformanceReport,
  { json, verbose }: CommonConformanceFlags,
  { stdout, noColour }: ConformanceDeps,
): void {
  const paint = stdout.isTTY && !noColour ? colouredReportPaint : plainReportPaint
  stdout.write(
    json ? printableLines(formatConformanceJson(report)) : `${formatTerminalReport(report, paint, verbose)}\n`,
  )
}

/** A run that judges nothing had wrong options or could not reach its target. */
function decideExitCode(report: ConformanceReport, deps: ConformanceDeps): number {
  if (report.wasInterrupted) return EXIT.interrupted
  const { results } = report
  if (results.some(({ verdict }) => verdict.kind !== 'not judged')) return isGood(report) ? EXIT.good : EXIT.findings
  deps.stderr.write(`${nameOfProgram(deps)}: nothing could be judged\n`)
  return isGood(report) ? EXIT.wrongUse : EXIT.unreachable
}

/** 'purser' of 'purser conformance'. */
function nameOfProgram({ program }: ConformanceDeps): string {
  return program.split(' ', 1).join()
}
