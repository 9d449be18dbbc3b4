/** Runs the built program (`node packages/server/dist/main.js …`). */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const TIMEOUT_MS = 120_000

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** The child has a new folder and no environment but PATH. A timeout kills it. */
export function run(args: string[], env: Record<string, string> = {}, input = ''): Promise<CommandResult> {
  if (!existsSync(MAIN)) throw new Error('packages/server/dist/main.js is missing: npm run build')
  const folder = newFolder()
  const options = {
    cwd: folder.path,
    env: { PATH: process.env.PATH, ...env },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  } as const
  const child = spawn(process.execPath, [MAIN, ...args], options)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  child.stdin.on('error', () => {}) // the command may end before it reads stdin
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      folder.remove()
      resolve({ code, ...output })
    })
  })
}

export interface Server {
  output(): string
  /** Resolves to the exit code; null when the signal ended the process. */
  kill(signal: NodeJS.Signals): Promise<number | null>
}

export async function startUntil(pattern: RegExp, args: string[], env: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...env } })
  let text = ''
  const matches = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing matched ${pattern}:\n${text}`)), TIMEOUT_MS)
    const collect = (chunk: string) => {
      text += chunk
      if (pattern.test(text)) resolve(clearTimeout(timer))
    }
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', collect)
    child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${text}`)))
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  await matches.catch((error: unknown) => kill('SIGKILL').then(() => Promise.reject(error)))
  return { output: () => text, kill }
}

export const DROP_EVERY_SCHEMA = `do $$ declare name text; begin
  for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
  loop execute format('drop schema %I cascade', name); end loop; end $$`

export function newFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'purser-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
