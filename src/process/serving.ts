/** How a server runs as a command: from its start to the signal that ends it, alone or as one of several. */
import cluster from 'node:cluster'
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
  if (config.processes === 1) await serve(start, config)
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
  onEnd(
    () =>
      void starting.then(
        (server) => server.close().catch(endWith),
        () => {},
      ),
  )
  const running = await starting
  const admin = await running.firstAdmin
  if (admin !== undefined)
    process.stderr.write(
      `first start: sign in at ${running.url}/console as ${admin.name}, password ${admin.password}; it is not shown again\n`,
    )
}

function onEnd(stop: () => void): void {
  if (cluster.isWorker) onEndOfSeveral(stop)
  else onStop(stop)
}

/** Who holds the port asks, and the signal may come too: Ctrl-C goes to all of them. */
function onEndOfSeveral(stop: () => void): void {
  let isEnding = false
  const stopOnce = () => {
    if (isEnding) return
    isEnding = true
    stop()
    leave()
  }
  onMessage(({ kind }) => {
    if (kind === 'stop') stopOnce()
  })
  process.on('SIGINT', stopOnce).on('SIGTERM', stopOnce)
}

/** Who listens to the process that holds the port would live as long as that. */
function leave(): void {
  process.channel?.unref()
}
