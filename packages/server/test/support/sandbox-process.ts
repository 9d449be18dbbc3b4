/** Starts the sandbox in its own process, so that a test can read its output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** Milliseconds for one run on a busy machine. */
export const SANDBOX_MS = 300_000

/** The line of a bet: id, player, stake, selection → life. */
export const BET_LINE = /^\d\d:\d\d:\d\d [0-9a-f]{6} \w+ +[\d.]+ [A-Z]{3} .+? → .+$/

export interface Sandbox {
  readonly child: ChildProcess
  output(): string
  /** Resolves when the output matches. */
  until(pattern: RegExp): Promise<void>
  ended: Promise<{ code: number | null; stderr: string }>
}

export function startSandbox(args: string[], settings: Record<string, string>): Sandbox {
  const env = { PATH: process.env.PATH, PORT: '0', ...settings }
  const child = spawn(process.execPath, [MAIN, ...args], { env, timeout: SANDBOX_MS, killSignal: 'SIGKILL' })
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
    })
  }
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stderr: text.stderr })),
  )
  const until = async (pattern: RegExp) => {
    const gone = ended.then(() => Promise.reject(new Error(`nothing matched ${pattern}:\n${text.stdout}`)))
    while (!pattern.test(text.stdout)) await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 50))])
    gone.catch(() => {})
  }
  return { child, output: () => text.stdout, until, ended }
}
