/** The `conformance platform` command: from options to an exit code. */
import { writeFileSync } from 'node:fs'
import { isGood, type Report, totalsOf } from '../report.ts'
import { writerFor } from '../report-file.ts'
import { jsonReport } from '../report-json.ts'
import { coloured, plain, progressOn, type Terminal, terminalReport } from '../terminal.ts'
import type { PlatformCase } from './case.ts'
import { PLATFORM_CASES } from './cases.ts'
import type { Drive } from './drive.ts'
import { driveByApi, whyUnreachable } from './drive-api.ts'
import { driveByHook, withRestart } from './drive-hook.ts'
import { runPlatformKit } from './run.ts'
import { timingOf } from './timing.ts'

export interface ConformancePlatformFlags {
  readonly listen?: string
  readonly host: string
  readonly publicUrl?: string
  readonly platformApi?: string
  readonly platformKey?: string
  readonly drive?: string
  readonly restart?: string
  readonly only?: readonly string[]
  readonly list?: true
  readonly slow?: true
  readonly strict?: true
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

class WrongUse extends Error {}
class Unreachable extends Error {}

/** Resolves to the exit code. */
export async function runConformancePlatform(flags: ConformancePlatformFlags, deps: CommandDeps): Promise<number> {
  try {
    const isWanted = chosen(flags.only ?? [])
    if (flags.list) return listCases(PLATFORM_CASES.filter(isWanted), flags, deps)
    return await judge(isWanted, flags, deps)
  } catch (error) {
    if (!(error instanceof WrongUse || error instanceof Unreachable)) throw error
    deps.stderr.write(`purser: ${error.message}\n`)
    return error instanceof Unreachable ? EXIT.unreachable : EXIT.wrongUse
  }
}

/** Ids and beginnings of ids. */
function chosen(only: readonly string[]): (one: PlatformCase) => boolean {
  const unknown = only.filter((wish) => !PLATFORM_CASES.some(({ id }) => id.startsWith(wish)))
  if (unknown.length > 0) throw new WrongUse(`--only: there is no case ${unknown.join(', ')}; --list shows them`)
  return ({ id }) => only.length === 0 || only.some((wish) => id.startsWith(wish))
}

function listCases(
  cases: readonly PlatformCase[],
  { json }: ConformancePlatformFlags,
  { stdout }: CommandDeps,
): number {
  const facts = cases.map(({ id, level, clause, sentence, loses, covers }) => ({
    ...{ id, level, clause, sentence, loses, covers },
  }))
  if (json) stdout.write(`${JSON.stringify(facts, null, 2)}\n`)
  else for (const { id, level, sentence } of facts) stdout.write(`${id.padEnd(26)}${level.padEnd(8)}${sentence}\n`)
  return EXIT.good
}

async function judge(
  isWanted: (one: PlatformCase) => boolean,
  flags: ConformancePlatformFlags,
  deps: CommandDeps,
): Promise<number> {
  const listen = listenOn(flags)
  const writers = writersFor(flags)
  const { drive, target, close } = await driverFor(flags)
  const progress = progressOn(deps.stderr, PLATFORM_CASES.filter(isWanted).length)
  const { slow = false, strict = false } = flags
  try {
    const how = { timing: timingOf(), listen, isSlow: slow, isStrict: strict, signal: deps.signal }
    const report = await runPlatformKit({
      cases: PLATFORM_CASES,
      isWanted,
      drive,
      target,
      ...how,
      onResult: progress.show,
    })
    progress.end()
    for (const { file, write } of writers) writeFileSync(file, write(report))
    const paint = deps.stdout.isTTY && !deps.noColour ? coloured : plain
    deps.stdout.write(flags.json ? jsonReport(report) : `${terminalReport(report, paint)}\n`)
    return exitCodeOf(report)
  } finally {
    progress.end()
    await close()
  }
}

/** A run that could judge nothing did not reach what it should judge. */
function exitCodeOf(report: Report): number {
  if (report.wasInterrupted) return EXIT.interrupted
  if (totalsOf(report).notJudged === report.results.length) return EXIT.unreachable
  return isGood(report) ? EXIT.good : EXIT.findings
}

function listenOn({ listen, host, publicUrl }: ConformancePlatformFlags) {
  const port = listen !== undefined && /^\d{1,5}$/.test(listen) ? Number.parseInt(listen, 10) : undefined
  if (port === undefined || port > 65_535)
    throw new WrongUse('give --listen, the port on which the kit plays the wallet')
  if (publicUrl !== undefined && !isHttp(publicUrl)) throw new WrongUse('--public-url must be an http address')
  return { host, port, ...(publicUrl !== undefined && { publicUrl }) }
}

function isHttp(url: string): boolean {
  return /^https?:\/\//.test(url) && URL.canParse(url)
}

function writersFor({ report = [] }: ConformancePlatformFlags) {
  return report.map((file) => {
    const write = writerFor(file)
    if (write === undefined) throw new WrongUse(`--report: ${file} must end in .html, .xml or .json`)
    return { file, write }
  })
}

interface Driver {
  readonly drive: Drive
  readonly target: string
  close(): Promise<void>
}

async function driverFor(flags: ConformancePlatformFlags): Promise<Driver> {
  const driver = await plainDriverFor(flags)
  return flags.restart === undefined ? driver : { ...driver, drive: withRestart(driver.drive, flags.restart) }
}

async function plainDriverFor({ platformApi, platformKey, drive }: ConformancePlatformFlags): Promise<Driver> {
  if ((platformApi === undefined) === (drive === undefined)) throw new WrongUse('give either --platform-api or --drive')
  if (drive !== undefined) return { drive: driveByHook(drive), target: drive, close: async () => {} }
  if (platformApi === undefined || !isHttp(platformApi)) throw new WrongUse('--platform-api must be an http address')
  if (platformKey === undefined) throw new WrongUse('give --platform-key')
  const why = await whyUnreachable(platformApi)
  if (why !== undefined) throw new Unreachable(`${platformApi} cannot be reached: ${why}`)
  return { ...driveByApi({ url: platformApi, key: platformKey }), target: platformApi }
}
