/**
 * Starts a separate Postgres that a test can kill, restart on the same data and port, and
 * misconfigure.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { serverUser } from './postgres-binaries.ts'
import { type OtherServer, type PostgresSettings, startPostgres } from './postgres-server.ts'

const START_TIMEOUT_MS = 30_000
const POLL_MS = 50

export interface SecondPostgres {
  url: string
  /** Rows of the last statement. */
  execute(sql: string): Promise<Record<string, unknown>[]>
  /**
   * SIGINT ends it in order, SIGQUIT at once. SIGKILL ends the server and all of its processes,
   * like a power failure.
   */
  kill(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** Freezes all of its processes until the returned function is called. */
  freeze(): Promise<() => void>
  /** Starts it after a kill; `settings` are added to the earlier ones. */
  start(settings?: Record<string, string>): Promise<void>
  stop(): Promise<void>
}

export async function startSecondPostgres(
  settings: PostgresSettings = {},
  other?: OtherServer,
): Promise<SecondPostgres> {
  const first = await startPostgres(settings, other)
  const execute = (sql: string) => inSql(first.url, sql)
  const [row] = await execute('show data_directory')
  const folder = String(row?.data_directory)
  let restarted: ChildProcess | undefined
  const kill = async (signal: NodeJS.Signals) => {
    const children = signal === 'SIGKILL' ? await processesOf(execute) : []
    const main = mainProcessOf(folder)
    for (const pid of [main, ...children]) signalTo(pid, signal)
    while (signalTo(main, 0)) await sleep(POLL_MS)
  }
  return {
    url: first.url,
    execute,
    kill,
    async freeze() {
      const pids = [mainProcessOf(folder), ...(await processesOf(execute))]
      for (const pid of pids) signalTo(pid, 'SIGSTOP')
      return () => pids.forEach((pid) => void signalTo(pid, 'SIGCONT'))
    },
    async start(settings = {}) {
      restarted = await startAgain(first.url, folder, settings)
    },
    async stop() {
      if (restarted?.exitCode === null && restarted.signalCode === null) await kill('SIGQUIT')
      await first.stop()
    },
  }
}

/** One connection for all statements of the text. */
export async function inSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(sql)
    return (Array.isArray(results) ? results.at(-1) : results)?.rows ?? []
  } finally {
    await client.end()
  }
}

/** The server writes its process id into the first line of this file. */
function mainProcessOf(folder: string): number {
  return Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10)
}

/**
 * A process that starts at this moment is missed. It ends by itself when it finds no main process.
 */
async function processesOf(execute: SecondPostgres['execute']): Promise<number[]> {
  const rows = await execute('select pid from pg_stat_activity where pid <> pg_backend_pid()')
  return rows.map(({ pid }) => Number(pid))
}

function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false // it has ended already
  }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGQUIT')
})

/** A new server refuses to start while a process of the killed server still runs. */
export async function startAgain(url: string, folder: string, settings: Record<string, string>): Promise<ChildProcess> {
  const end = performance.now() + START_TIMEOUT_MS
  let problem: string | undefined
  while (performance.now() < end) {
    const child = relaunch(folder, settings, new URL(url).password)
    problem = await problemOf(child, url, end)
    if (problem === undefined) return child
    child.kill('SIGQUIT')
  }
  throw new Error(`Postgres did not start again: ${problem}`)
}

/**
 * Starts the server with its last command, which it recorded as: program "argument" "argument" ….
 * The folder may be a copy.
 */
function relaunch(folder: string, settings: Record<string, string>, password: string): ChildProcess {
  const [program = '', ...rest] = readFileSync(join(folder, 'postmaster.opts'), 'utf8').split(' "')
  const args = rest.map((part) => part.trimEnd().slice(0, -1))
  const added = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(program, [...args, '-D', folder, ...added], {
    ...serverUser(),
    cwd: '/',
    env: { ...process.env, PGPASSWORD: password },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.add(child.once('exit', () => running.delete(child)))
  return child
}

/** Resolves to undefined when the server accepts connections, otherwise to its output. */
async function problemOf(child: ChildProcess, url: string, end: number): Promise<string | undefined> {
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  while (child.exitCode === null && performance.now() < end) {
    const ready = await inSql(url, 'select').catch(() => undefined)
    if (ready !== undefined) return undefined
    await sleep(POLL_MS)
  }
  return log || 'it ended without a word'
}
