// Sends far more calls than a server can process, for a minute. The server must shed load and not
// collapse. See bench/overload/README.md.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { startGateway, startOperator } from '../gateway/servers.ts'
import { runAudit } from '../measure.ts'
import type { BenchPlayer } from '../place-bet.ts'
import { type BenchPostgres, disk, startBenchPostgres } from '../postgres.ts'
import { seedPlayers, toUserIds } from '../seed-players.ts'
import type { ServerProcess } from '../server-process.ts'
import { MAIN, mainIn, SECRET, startPurser } from '../subjects.ts'
import { OVERLOAD_HELP, type OverloadOptions, parseOverloadOptions, UsageError } from './options.ts'
import type { OverloadLoad, OverloadResult } from './overload-load.ts'
import { findOverloadShortfalls, formatOverloadReport } from './report.ts'
import { startSlowProxy } from './slow-proxy.ts'

const LOAD_PROGRAM = fileURLToPath(new URL('overload-load.js', import.meta.url))
const DATABASE = 'overload'

export interface OverloadMeasurement extends OverloadResult {
  readonly calls: number
  /** Stored bets whose call was not answered with 200 within 5 s. */
  readonly storedThoughLate?: number
  /** Peak memory of the server before the overload and at the end. */
  readonly megabytes: { readonly before: number; readonly most: number }
  readonly audit?: { readonly clean: boolean; readonly said: string }
}

interface Subject {
  readonly server: ServerProcess
  readonly players: BenchPlayer[]
  /** Undefined when the server stores no bets. */
  readonly postgres?: BenchPostgres
  stop(): Promise<void>
}

async function startWallet(options: OverloadOptions, main: string): Promise<Subject> {
  const postgres = await startBenchPostgres()
  await postgres.create(DATABASE)
  const proxy = options.slow > 0 ? await startSlowProxy(postgres.url(DATABASE)) : undefined
  const server = await startPurser(proxy?.url ?? postgres.url(DATABASE), main)
  const players = await seedPlayers(server.url, toUserIds(options.players))
  proxy?.slowDown(options.slow)
  const stop = () => server.stop().finally(proxy?.close).finally(postgres.stop)
  return { server, players, postgres, stop }
}

async function startGatewayAndOperator(): Promise<Subject> {
  const operator = await startOperator()
  const gateway = await startGateway(operator)
  return { ...gateway, stop: () => gateway.server.stop().finally(operator.stop) }
}

async function measure(options: OverloadOptions, main: string): Promise<OverloadMeasurement> {
  const subject = options.server === 'wallet' ? await startWallet(options, main) : await startGatewayAndOperator()
  const { server, players, postgres } = subject
  try {
    const before = mostMegabytes(server)
    const result = await drive({ ...options, players, port: server.port, secret: SECRET })
    const megabytes = { before, most: mostMegabytes(server) }
    const measured = { ...result, calls: callsOf(result), megabytes }
    if (postgres === undefined) return measured
    await postgres.analyze(DATABASE)
    const stored = await postgres.count(DATABASE, 'select count(*) from purser.bet')
    const storedThoughLate = stored - result.warmupAccepted - countAcceptedInTime(result)
    return { ...measured, storedThoughLate, audit: runAudit(postgres.url(DATABASE)) }
  } finally {
    await subject.stop()
  }
}

const phases = ({ unloaded, overload, after }: OverloadResult) => [unloaded, overload, after]

function countAcceptedInTime(result: OverloadResult): number {
  return phases(result).reduce((sum, { statuses, lateAccepted }) => sum + (statuses[200] ?? 0) - lateAccepted, 0)
}

function callsOf({ overload }: OverloadResult): number {
  return Object.values(overload.statuses).reduce((sum, count) => sum + count, 0)
}

/** Peak resident memory from Linux's /proc; 0 elsewhere. */
function mostMegabytes({ pid }: ServerProcess): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.trunc(+(kilobytes ?? 0) / 1_024)
  } catch {
    return 0
  }
}

async function drive(load: OverloadLoad): Promise<OverloadResult> {
  const child = fork(LOAD_PROGRAM, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--max-semi-space-size=64'],
  })
  child.send(load)
  const exited = once(child, 'exit').then(() => {
    throw new Error('the crowd ended too early')
  })
  const [result] = (await Promise.race([once(child, 'message'), exited])) as [OverloadResult]
  return result
}

async function main(): Promise<number> {
  const options = parseOverloadOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(`${OVERLOAD_HELP}\n`)
    return 0
  }
  const { isRam, fdatasyncMs } = disk()
  if (isRam) throw new UsageError('TMPDIR is on a RAM disk, where fsync costs nothing: set it to a folder on a disk')
  const machine = { cores: availableParallelism(), node: process.version, fdatasyncMs }
  if (options.against !== undefined) {
    const before = await measure(options, mainIn(options.against))
    process.stdout.write(`before:\n${formatOverloadReport(before)}\n\n`)
  }
  const measured = await measure(options, MAIN)
  const missed = findOverloadShortfalls(measured)
  if (options.json) process.stdout.write(`${JSON.stringify({ machine, options, ...measured, missed }, null, 2)}\n`)
  else
    process.stdout.write(
      `${formatOverloadReport(measured)}\n${JSON.stringify(machine)}\n${missed.map((line) => `SHORT: ${line}\n`).join('')}`,
    )
  return missed.length > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
