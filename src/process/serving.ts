/** How a server runs as a command: from its start to the signal that ends it, alone or as one of several. */
import cluster from 'node:cluster'
import { isatty } from 'node:tty'
import { setFlagsFromString } from 'node:v8'
import { type Config, type Role, readConfig } from '../config/config.ts'
import { onMessage } from '../http/siblings.ts'
import { endWith } from './ending.ts'
import type { Running } from './running.ts'
import { onStop } from './stopping.ts'

interface Starting {
  readonly makesFirstAdmin: true
}

type Start = (config: Config, deps: Starting) => Promise<Running>

/**
 * How far the heap may grow behind a collection of all of it, in percent of what is in use. By V8's own measure that is 15, so it marked the
 * heap of a wallet under load every 1.8 s, and calls waited meanwhile. The price is a hundred megabytes.
 */
const HEAP_GROWTH_PERCENT = 300

/** Runs a server until SIGINT or SIGTERM, and then finishes what was accepted. */
export async function serveUntilStopped(start: Start, role: Role): Promise<void> {
  const config = readConfig(process.env, role)
  if (cluster.isWorker) return serve(start, config)
  for (const warning of config.warnings) process.stderr.write(`purser: ${warning}\n`)
  if (config.processes === 1) {
    surviveReload()
    await serve(start, config)
  }
  for (const { name, value, path } of config.generated)
    process.stderr.write(`${name} was not set; using ${value}${path ? `, kept in ${path}` : ''}\n`)
  if (config.processes === 1) return
  const { serveSeveral } = await import('./several.ts')
  await serveSeveral(config)
}

async function serve(start: Start, config: Config): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  const starting = start(config, { makesFirstAdmin: true })
  starting.catch(leave)
  // Also for a signal that comes before the server listens.
  onEnd((drains) => void starting.then((server) => end(server, drains).catch(endWith), failed))
  const running = await starting
  const admin = await running.firstAdmin
  if (admin !== undefined)
    process.stderr.write(
      `first start: sign in at ${running.url}/console as ${admin.name}, password ${admin.password}; it is not shown again\n`,
    )
}

/** `starting` has ended the process already. */
const failed = () => {}

async function end(server: Running, drains: boolean): Promise<void> {
  if (drains) await server.drain()
  await server.close()
}

function onEnd(stop: (drains: boolean) => void): void {
  if (cluster.isWorker) onEndOfSeveral(stop)
  else onStop(() => stop(true))
}

/**
 * SIGHUP replaces the processes of a port (several.ts). One process has none to replace, and goes on:
 * a reload must not end it. On a terminal SIGHUP means that the terminal has gone, and still ends it.
 */
function surviveReload(): void {
  if (isatty(STDIN)) return
  process.on('SIGHUP', () => process.stderr.write(`purser: ${NOTHING_TO_REPLACE}\n`))
}

const STDIN = 0
const NOTHING_TO_REPLACE =
  'SIGHUP replaces processes where PURSER_PROCESSES is above 1; this one process goes on as it is'

/** Who holds the port asks, and the signal may come too: Ctrl-C goes to all of them. */
function onEndOfSeveral(stop: (drains: boolean) => void): void {
  let isEnding = false
  const stopOnce = (drains: boolean) => {
    if (isEnding) return
    isEnding = true
    stop(drains)
    leave()
  }
  onMessage((message) => {
    if (message.kind === 'stop') stopOnce(message.drains)
  })
  process.on('SIGINT', () => stopOnce(true)).on('SIGTERM', () => stopOnce(true))
}

/** Who listens to the process that holds the port would live as long as that. */
function leave(): void {
  process.channel?.unref()
}
