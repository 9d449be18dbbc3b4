/** How a server runs as a command: from its start to the signal that ends it, alone or as one of several. */
import cluster from 'node:cluster'
import { isatty } from 'node:tty'
import { setFlagsFromString } from 'node:v8'
import { type Config, type ProcessRole, readConfig } from '../core/config/config.ts'
import { onPrimaryMessage } from '../core/observability/cluster-metrics.ts'
import { reportFailure } from '../servers/exit-codes.ts'
import type { RunningServer } from '../servers/server-lifecycle.ts'
import { onStopSignal } from '../servers/stop-signals.ts'

interface StartServerOptions {
  readonly makesFirstAdmin: true
}

type StartServer = (config: Config, deps: StartServerOptions) => Promise<RunningServer>

/**
 * How far the heap may grow behind a collection of all of it, in percent of what is in use. By V8's own measure that is 15, so it marked the
 * heap of a wallet under load every 1.8 s, and calls waited meanwhile. The price is a hundred megabytes.
 */
const HEAP_GROWTH_PERCENT = 300

/** Runs a server until SIGINT or SIGTERM, and then finishes what was accepted. */
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
  // Also for a signal that comes before the server listens.
  onShutdown((drains) => void startup.then((server) => stopServer(server, drains).catch(reportFailure), failed))
  const running = await startup
  const admin = await running.firstAdmin
  if (admin !== undefined)
    process.stderr.write(
      `first start: sign in at ${running.url}/console as ${admin.name}, password ${admin.password}; it is not shown again\n`,
    )
}

/** `startup` has ended the process already. */
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
 * SIGHUP replaces the processes of a port (cluster.ts). One process has none to replace, and goes on:
 * a reload must not end it. On a terminal SIGHUP means that the terminal has gone, and still ends it.
 */
function ignoreReload(): void {
  if (isatty(STDIN)) return
  process.on('SIGHUP', () => process.stderr.write(`purser: ${NOTHING_TO_REPLACE}\n`))
}

const STDIN = 0
const NOTHING_TO_REPLACE =
  'SIGHUP replaces processes only if PURSER_PROCESSES is above 1; this single process continues'

/** Who holds the port asks, and the signal may come too: Ctrl-C goes to all of them. */
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

/** Who listens to the process that holds the port would live as long as that. */
function releaseIpcChannel(): void {
  process.channel?.unref()
}
