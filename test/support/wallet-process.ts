/** A wallet as an operator runs it: `node dist/main.js wallet`, a process that can be killed at any moment. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { auditIsClean } from './audit.ts'
import { type OperatorClient, operatorClient } from './operator.ts'
import { walletEnv } from './wallet-env.ts'
import { type PartnerWire, partnerWire } from './wire.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const START_TIMEOUT_MS = 30_000
const LISTENING = /"url":"(http:[^"]+)"/

export interface SpawnOptions {
  databaseUrl?: string
  /** Where PGlite keeps the data when there is no databaseUrl. */
  dataDir?: string
  port?: number
  env?: Record<string, string>
}

export interface WalletProcess {
  url: string
  pid: number
  wire: PartnerWire
  operator: OperatorClient
  secret: string
  operatorKey: string
  /** Throws with the findings. */
  auditIsClean(): Promise<void>
  /** Everything written to stdout and stderr so far. */
  output(): string
  /** Waits for the exit; the exit code, null after a death by the signal. At once when the process is gone already. */
  kill(signal: NodeJS.Signals): Promise<number | null>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export async function spawnWallet(options: SpawnOptions): Promise<WalletProcess> {
  const settings = {
    DATABASE_URL: options.databaseUrl,
    PURSER_DATA_DIR: options.dataDir,
    PORT: options.port?.toString(),
  }
  const { env, secret, operatorKey } = walletEnv({ ...settings, ...options.env })
  const child = launch(env)
  const output = collectOutput(child)
  const url = await listening(child, output)
  const operator = operatorClient(url, operatorKey)
  return {
    ...{ url, pid: child.pid ?? 0, secret, operatorKey, operator, output },
    wire: partnerWire(url, secret),
    auditIsClean: () => auditIsClean(operator),
    kill: (signal) => kill(child, signal),
  }
}

/** Nothing of this process's environment but PATH: a DATABASE_URL of the developer's shell must not be written to. */
function launch(env: Record<string, string>): ChildProcess {
  if (!existsSync(MAIN)) throw new Error('dist/main.js is missing: npm run build')
  const child = spawn(process.execPath, [MAIN, 'wallet'], {
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

/** The address the wallet says it listens on. */
function listening(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`the wallet did not start, ${why}:\n${output()}`))
    }
    const timer = setTimeout(() => fail(`silent for ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)
    child.once('error', (error) => fail(error.message))
    child.once('close', (code) => fail(`exit code ${code}`))
    child.stdout?.on('data', () => {
      const url = LISTENING.exec(output())?.[1]
      if (url === undefined) return
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
