/**
 * Lock of a data folder of PGlite, which does not notice a second process. Two processes would
 * destroy the files.
 *
 * Each process listens on a socket file of its own in the folder. It owns the folder if no other
 * socket there has a listener. The later process always finds the earlier one, so two processes
 * never own the folder.
 *
 * - A socket loses its listener when its process dies, even by `kill -9`. A file with a process id
 *   would remain.
 * - A name is never used twice, so every process may remove a dead socket.
 * - The sockets are files, because containers that share a volume share nothing else. Machines that
 *   share a network folder do not detect each other.
 */
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { type FileHandle, link, open, readdir, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { sleep } from '@purser/runtime/async/sleep'
import { environment } from '@purser/runtime/environment'
import { UnavailableError, UsageError } from '@purser/runtime/errors/cli-errors'

export class FolderInUseError extends UnavailableError {}

type Release = () => Promise<void>

/**
 * Locks an existing folder and returns the release. Throws FolderInUseError while another process
 * owns it.
 */
export async function lockFolder(folder: string): Promise<Release> {
  const release = process.platform === 'win32' ? await lockByPipe(folder) : await lockBySocket(folder)
  if (release === undefined)
    throw new FolderInUseError(
      `the embedded database in ${folder} is in use by another process: stop that process, or set PURSER_DATA_DIR to another folder`,
    )
  return release
}

/** A named pipe has one listener and ends with its process, so its name is the whole lock. */
async function lockByPipe(folder: string): Promise<Release | undefined> {
  const id = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 32)
  try {
    const server = await listen(`\\\\.\\pipe\\purser-${id}`)
    return () => closeServer(server)
  } catch (error) {
    if (readErrorCode(error) === 'EADDRINUSE') return undefined
    throw error
  }
}

/** Also matches files of older versions. */
const SOCKET = /^in-use.*\.sock$/

async function lockBySocket(folder: string): Promise<Release | undefined> {
  const short = await openShortPath(folder)
  const name = newSocketName()
  const release = async () => {
    for (const one of [HOLDER_PREFIX + name, name]) await rm(join(folder, one), { force: true })
    await closeServer(server)
    await short.handle?.close()
  }
  const server = await listen(join(short.path, `${name}.new`))
  try {
    // Visible only now that it listens: a visible socket without an answer is dead.
    await rename(join(folder, `${name}.new`), join(folder, name))
    if (await isSoleListener(folder, short.path, name)) {
      await link(join(folder, name), join(folder, HOLDER_PREFIX + name))
      return release
    }
  } catch (error) {
    await release()
    throw error
  }
  await release()
  return undefined
}

/**
 * Prefix of the owner's second name. It sorts before all others, so later processes give up at
 * once.
 */
const HOLDER_PREFIX = 'in-use-'
/** Names sort by age, which decides between processes that start together. */
function newSocketName(): string {
  return `in-use.${environment.now().toString(36).padStart(9, '0')}-${environment.randomBytes(4).toString('hex')}.sock`
}

/** Bytes. Operating systems limit the path of a socket to little more. */
const MAX_SOCKET_PATH = 100
const LONGEST_NAME = HOLDER_PREFIX.length + `${newSocketName()}.new`.length + 1

/** On Linux, an open handle gives a long folder a short path. */
async function openShortPath(folder: string): Promise<{ path: string; handle?: FileHandle }> {
  if (Buffer.byteLength(folder) + LONGEST_NAME <= MAX_SOCKET_PATH) return { path: folder }
  if (process.platform !== 'linux')
    throw new UsageError(
      `the path of the data folder ${folder} is too long: use at most ${MAX_SOCKET_PATH - LONGEST_NAME} bytes`,
    )
  const handle = await open(folder)
  return { path: `/proc/self/fd/${handle.fd}`, handle }
}

/**
 * Milliseconds in which a younger process gives way to an older one. After that a process owns the
 * folder.
 */
const YIELD_MS = 2_000
const RETRY_MS = 10

async function isSoleListener(folder: string, short: string, name: string): Promise<boolean> {
  const end = environment.monotonicNow() + YIELD_MS
  for (;;) {
    const others = await findOtherListeners(folder, short, name)
    if (others.length === 0) return true
    if (others.some((other) => other < name) || environment.monotonicNow() > end) return false
    await sleep(RETRY_MS)
  }
}

/** The other sockets with a listener. Dead sockets are removed. */
async function findOtherListeners(folder: string, short: string, name: string): Promise<string[]> {
  const others = (await readdir(folder)).filter((other) => SOCKET.test(other) && other !== name)
  const states = await Promise.all(others.map((other) => probeSocket(join(short, other))))
  const dead = others.filter((_, i) => states[i] === 'dead')
  await Promise.all(dead.map((other) => rm(join(folder, other), { force: true })))
  return others.filter((_, i) => states[i] === 'alive')
}

/**
 * A socket without a clear answer counts as alive: its process may be frozen, or belong to another
 * user.
 */
function probeSocket(path: string): Promise<'alive' | 'dead' | 'gone'> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve('alive')
    })
    socket.once('error', (error) => {
      const code = readErrorCode(error)
      resolve(code === 'ECONNREFUSED' ? 'dead' : code === 'ENOENT' ? 'gone' : 'alive')
    })
  })
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(path, () => resolve(server.unref()))
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

function readErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
