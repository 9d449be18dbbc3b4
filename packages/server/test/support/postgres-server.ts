/**
 * The one real Postgres of a test run (globalSetup of vitest).
 *
 * It has a new data folder, a free port and its own password, so no server of an earlier run can be
 * mistaken for it. It commits as in production, because the kill tests prove which data survives.
 * `fsync` and `synchronous_commit` keep their default (on), because no reload could change them if
 * set here.
 *
 * Its data are in memory if there is room, because each test file makes and drops databases of
 * hundreds of files.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type {} from 'vitest'
import type { TestProject } from 'vitest/node'
import { nativeFolder, type ServerUser, serverUser } from './postgres-binaries.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** Set only by `npm run test:citus`: the workers of the coordinator at postgresUrl. */
    citusWorkers?: readonly string[]
  }
}

const START_ATTEMPTS = 3
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 10_000

export interface Server {
  url: string
  stop(): Promise<void>
}

let server: Server | undefined

export async function setup(project: TestProject): Promise<void> {
  server = await startPostgres({}, binariesOfEnvironment())
  project.provide('postgresUrl', server.url)
}

/**
 * TEST_POSTGRES is the folder of another version with its `bin`, such as /usr/lib/postgresql/15.
 */
function binariesOfEnvironment(): OtherServer | undefined {
  const native = process.env.TEST_POSTGRES
  return native ? { native, password: randomBytes(16).toString('hex') } : undefined
}

export async function teardown(): Promise<void> {
  await server?.stop()
}

export type PostgresSettings = Readonly<Record<string, string>>

export interface OtherServer {
  readonly native: string
  readonly password: string
}

/** `more` adds to the settings of every test. The data get a new folder in `parent`. */
export async function startPostgres(
  more: PostgresSettings = {},
  other?: OtherServer,
  parent = dataParent(),
): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const started = await startOnce(more, other, parent)
    if (typeof started !== 'string') return started
    // Another program may take the free port before Postgres opens it.
    if (attempt === START_ATTEMPTS) throw new Error(`Postgres did not start: ${started}`)
  }
}

/** The server, or its output if it did not start. */
async function startOnce(
  more: PostgresSettings,
  other: OtherServer | undefined,
  parent: string,
): Promise<Server | string> {
  const user = serverUser()
  const folder = newFolder(user, tmpdir())
  const data = newFolder(user, parent)
  try {
    const native = other?.native ?? nativeFolder(user, folder)
    const password = other?.password ?? randomBytes(16).toString('hex')
    initialise(native, { folder, data }, user, password)
    const port = await freePort()
    const child = launch(native, { folder, data }, user, settings(port, more), password)
    const problem = await problemOf(child)
    if (problem === undefined) return { url: urlOf(port, password), stop: () => stop(child) }
    await stop(child)
    return problem
  } catch (error) {
    for (const made of [folder, data]) rmSync(made, { recursive: true, force: true })
    throw error
  }
}

const MEMORY = '/dev/shm'
/** Bytes that must be free in memory. */
const ROOM = 4 * 1024 ** 3

function dataParent(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM ? MEMORY : tmpdir()
  } catch {
    return tmpdir() // some systems have no such folder
  }
}

function newFolder(user: ServerUser, parent: string): string {
  const folder = mkdtempSync(join(parent, 'purser-test-postgres-'))
  if ('uid' in user) chownSync(folder, user.uid, user.gid)
  return folder
}

function urlOf(port: number, password: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
}

interface Folders {
  /**
   * Files that are read once, and a copy of the programs if necessary, because memory file systems
   * may forbid to run programs.
   */
  readonly folder: string
  readonly data: string
}

/**
 * Text sorts by ICU's English rules as in most production databases, and not by bytes as in
 * JavaScript.
 */
function initialise(native: string, { folder, data }: Folders, user: ServerUser, password: string): void {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if ('uid' in user) chownSync(passwordFile, user.uid, user.gid)
  const args = ['-D', data, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=password']
  args.push('--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US', '--no-sync')
  const initdb = spawnSync(join(native, 'bin', 'initdb'), args, { ...user, cwd: folder, encoding: 'utf8' })
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.error?.message ?? initdb.stderr}`)
}

function settings(port: number, more: PostgresSettings): string[] {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    // A time zone far from UTC reveals a day that is taken from the server's time zone instead of
    // UTC.
    timezone: 'Pacific/Auckland',
    ...more,
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Starts the server and a watcher. The pipe on descriptor 3 closes when the test run ends in any
 * way (teardown, Ctrl-C, kill -9). The watcher then stops the server at once and deletes its data.
 * Ctrl-C on the terminal reaches neither of the two, because they have their own process group.
 */
const WATCHED_SERVER = `
folder=$1; data=$2; shift 2
running() { [ -e "$data/postmaster.pid" ]; }
(
  cat <&3 >/dev/null
  running && kill -QUIT $$
  for tenth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    running && sleep 0.1
  done
  rm -rf "$folder" "$data"
) &
exec "$@" 3<&-
`

/** A server that connects to other such servers needs the password. */
function launch(
  native: string,
  { folder, data }: Folders,
  user: ServerUser,
  flags: readonly string[],
  password: string,
): ChildProcess {
  const command = [join(native, 'bin', 'postgres'), '-D', data, ...flags]
  return spawn('sh', ['-c', WATCHED_SERVER, 'sh', folder, data, ...command], {
    ...user,
    cwd: '/',
    env: { ...process.env, PGPASSWORD: password },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
}

/** Resolves to undefined when the server accepts connections, otherwise to its output. */
function problemOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let log = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text
      if (log.includes('ready to accept connections')) resolve(undefined)
    })
    child.once('error', (error) => resolve(error.message))
    child.once('exit', () => resolve(log || 'it ended without a word'))
    setTimeout(() => resolve(`not ready after ${START_TIMEOUT_MS} ms: ${log}`), START_TIMEOUT_MS).unref()
  })
}

/**
 * Resolves when the watcher has deleted the data, because it holds the server's stderr until then.
 */
async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.stdio[3]?.destroy()
  await Promise.race([closed, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })])
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port for Postgres')
  return address.port
}
