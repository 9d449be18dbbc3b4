/**
 * Starts a server as in production, in a process that a test can kill at any moment: `node
 * packages/server/dist/main.js <command>`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Tests and commands run in the root folder. */
const MAIN = resolve('packages/server/dist/main.js')
const START_TIMEOUT_MS = 90_000
const LISTENING = /"url":"(http:[^"]+)"/

export interface ServerProcess {
  url: string
  pid: number
  /** stdout and stderr so far. */
  output(): string
  /**
   * Waits for the end if necessary. Resolves to the exit code, or null after a death by a signal.
   */
  kill(signal: NodeJS.Signals): Promise<number | null>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** `main` may belong to another build. */
export async function spawnServer(
  command: 'wallet' | 'platform' | 'gateway',
  env: Record<string, string>,
  main = MAIN,
): Promise<ServerProcess> {
  const child = launch(command, env, main)
  const output = collectOutput(child)
  const url = await listening(command, child, output)
  return { url, pid: child.pid ?? 0, output, kill: (signal) => kill(child, signal) }
}

/**
 * Only PATH is inherited, so that the process never writes to a DATABASE_URL of the developer's
 * shell.
 */
function launch(command: string, env: Record<string, string>, main: string): ChildProcess {
  if (!existsSync(main)) throw new Error('packages/server/dist/main.js is missing: npm run build')
  const child = spawn(process.execPath, [main, command], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

function collectOutput(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  return () => text
}

/** The address in the server's log. */
function listening(command: string, child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`the ${command} did not start, ${why}:\n${output()}`))
    }
    const timer = setTimeout(() => fail(`silent for ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)
    child.once('error', (error) => fail(error.message))
    child.once('close', (code) => fail(`exit code ${code}`))
    child.stdout?.on('data', function look() {
      const url = LISTENING.exec(output())?.[1]
      if (url === undefined) return
      // otherwise the search would continue in the whole later output
      child.stdout?.off('data', look)
      clearTimeout(timer)
      resolve(url)
    })
  })
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close')
    child.kill(signal)
    await closed
  }
  return child.exitCode
}
