import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ServerProcess {
  pid: number
  port: number
  url: string
  stop(): Promise<void>
}

export const HOST = '127.0.0.1'
/** As docs/guides/run-in-production.md recommends: the garbage collector copies less. */
const NODE_OPTIONS = '--max-semi-space-size=64'
const START_TIMEOUT_MS = 20_000
const STOP_TIMEOUT_MS = 15_000
const POLL_MS = 50

export async function startServer(command: string[], env: Record<string, string>): Promise<ServerProcess> {
  const port = await freePort()
  const child = spawn(process.execPath, command, {
    env: {
      PATH: process.env.PATH ?? '',
      HOST,
      PORT: `${port}`,
      NODE_ENV: 'production',
      NODE_OPTIONS,
      PURSER_PRIVATE_ADDRESSES: 'allow',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://${HOST}:${port}`
  await listening(child, url)
  return { pid: child.pid!, port, url, stop: () => stop(child) }
}

/** Any reply counts: the peers have no /healthz and return 404. */
async function listening(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${url}/healthz`).catch(() => undefined)
    if (answer) return void (await answer.text())
    await sleep(POLL_MS)
  }
  child.kill('SIGKILL')
  throw new Error(`${child.spawnargs.join(' ')} did not start`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended by itself, code ${child.exitCode}`)
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exit
  clearTimeout(killTimer)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, HOST)
  await once(probe, 'listening')
  const address = probe.address()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  await new Promise((resolve) => probe.close(resolve))
  return address.port
}
