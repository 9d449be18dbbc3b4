/** Command that runs a server until a stop signal, in one process or as a cluster of workers. */
import cluster from 'node:cluster'
import { isatty } from 'node:tty'
import { setFlagsFromString } from 'node:v8'
import { reportFailure } from '@purser/runtime/command/exit-codes'
import { onStopSignal } from '@purser/runtime/command/stop-signals'
import { type Config, type ProcessRole, readConfig } from '../core/config/config.ts'
import { onPrimaryMessage } from '../core/observability/cluster-metrics.ts'
import type { RunningServer } from '../servers/server-lifecycle.ts'

interface StartServerOptions {
  readonly makesFirstAdmin: true
}

type StartServer = (config: Config, deps: StartServerOptions) => Promise<RunningServer>

/**
 * Heap growth after a full collection, in percent of the live size. With V8's default of 15, a
 * wallet under load marked its heap every 1.8 s, and calls waited. This value costs a hundred
 * megabytes.
 */
const HEAP_GROWTH_PERCENT = 300

/** Runs until SIGINT or SIGTERM, and then finishes accepted calls. */
export async function serveUntilStopped(start: StartServer, role: ProcessRole): Promise<void> {
  const config = readConfig(process.env, role)
  if (cluster.isWorker) return serveInProcess(start, config)
  for (const warning of config.warnings) process.stderr.write(`purser: ${warning}\n`)
  if (config.processes === 1) {
    ignoreReload()
    await serveInProcess(start, config)
  }
  for (const { name, value, path } of config.generated)
    process.stderr.write(`${name} was not set; using ${value}${path ? `, kept in ${path}` : ''}\n`)
  if (config.processes === 1) return
  const { serveCluster } = await import('../servers/cluster.ts')
  await serveCluster(config)
}

async function serveInProcess(start: StartServer, config: Config): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  const startup = start(config, { makesFirstAdmin: true })
  startup.catch(releaseIpcChannel)
  // Registered first, because a signal may arrive before the server listens.
  onShutdown((drains) => void startup.then((server) => stopServer(server, drains).catch(reportStop), failed))
  const running = await startup
  const admin = await running.firstAdmin
  if (admin !== undefined)
    process.stderr.write(
      `first start: sign in at ${running.url}/console as ${admin.name}, password ${admin.password}; it is not shown again\n`,
    )
}

function reportStop(error: unknown): void {
  reportFailure(error, 'purser')
}

/** `startup` reports the error. */
const failed = () => {}

async function stopServer(server: RunningServer, drains: boolean): Promise<void> {
  if (drains) await server.drain()
  await server.close()
}

function onShutdown(stop: (drains: boolean) => void): void {
  if (cluster.isWorker) onWorkerShutdown(stop)
  else onStopSignal(() => stop(true))
}

/**
 * SIGHUP replaces the workers of a cluster (cluster.ts). A single process has none and continues: a
 * reload must not end it. On a terminal, SIGHUP means that the terminal was closed, and ends the
 * process.
 */
function ignoreReload(): void {
  if (isatty(STDIN)) return
  process.on('SIGHUP', () => process.stderr.write(`purser: ${NOTHING_TO_REPLACE}\n`))
}

const STDIN = 0
const NOTHING_TO_REPLACE =
  'SIGHUP replaces processes only if PURSER_PROCESSES is above 1; this single process continues'

/** The primary process sends the stop message. Ctrl-C also sends the signal to all processes. */
function onWorkerShutdown(stop: (drains: boolean) => void): void {
  let isEnding = false
  const stopOnce = (drains: boolean) => {
    if (isEnding) return
    isEnding = true
    stop(drains)
    releaseIpcChannel()
  }
  onPrimaryMessage((message) => {
    if (message.kind === 'stop') stopOnce(message.drains)
  })
  process.on('SIGINT', () => stopOnce(true)).on('SIGTERM', () => stopOnce(true))
}

/** The open IPC channel would keep this process alive as long as the primary one. */
function releaseIpcChannel(): void {
  process.channel?.unref()
}
