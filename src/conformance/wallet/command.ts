/** The `conformance wallet` command: from options to an exit code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { isGood } from '../report.ts'
import { writerFor } from '../report-file.ts'
import { coloured, plain, progressOn, type Terminal, terminalReport } from '../terminal.ts'
import type { Case } from './case.ts'
import { CASES } from './cases/all.ts'
import { BadFixtures, type Fixtures } from './fixtures.ts'
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
  readonly fast?: true
  readonly json?: true
  readonly report?: readonly string[]
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
    if (!(error instanceof WrongUse || error instanceof BadFixtures || error instanceof TargetUnreachable)) throw error
    deps.stderr.write(`purser: ${error.message}\n`)
    return error instanceof TargetUnreachable ? EXIT.unreachable : EXIT.wrongUse
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
  const writers = (flags.report ?? []).map((file) => ({ file, write: writerFor(file) }))
  const wrong = writers.find(({ write }) => write === undefined)
  if (wrong !== undefined) throw new WrongUse(`--report: ${wrong.file} must end in .html, .xml or .json`)
  const { fixtures, close } = fixturesFor(flags)
  const progress = progressOn(deps.stderr, cases.length)
  try {
    const { signal } = deps
    const options = { baseUrl, secret, fixtures, cases, signal, withSlow: !flags.fast, isStrict: flags.strict === true }
    const report = await runKit({ ...options, onResult: progress.show })
    progress.end()
    for (const { file, write } of writers) writeFileSync(file, write?.(report) ?? '')
    const paint = deps.stdout.isTTY && !deps.noColour ? coloured : plain
    deps.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : `${terminalReport(report, paint)}\n`)
    if (report.wasInterrupted) return EXIT.interrupted
    return isGood(report) ? EXIT.good : EXIT.findings
  } finally {
    progress.end()
    await close()
  }
}

function required({ baseUrl, secret }: ConformanceWalletFlags): { baseUrl: string; secret: string } {
  if (baseUrl === undefined || !/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw new WrongUse('give --base-url, the http address of the wallet')
  if (secret === undefined || secret === '') throw new WrongUse('give --secret, the shared secret')
  return { baseUrl, secret }
}

function fixturesFor({ fixtures, operatorApi, operatorKey }: ConformanceWalletFlags): {
  fixtures: Fixtures
  close: () => Promise<void>
} {
  if ((fixtures === undefined) === (operatorApi === undefined))
    throw new WrongUse('give either --fixtures or --operator-api')
  if (fixtures !== undefined) return { fixtures: readFixturesFile(readFile(fixtures)), close: async () => {} }
  if (operatorKey === undefined) throw new WrongUse('give --operator-key')
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
