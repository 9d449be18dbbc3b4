/**
 * One process per folder: PGlite itself does not notice a second one, and two would destroy the files. The lock is a
 * listening local socket, which falls silent when its process dies, however it dies; a file with a process number would
 * outlive a `kill -9`. Two sockets, in this order: a name outside the file system, which two processes cannot both get,
 * and a file in the folder, which also reaches another container that has the same volume.
 */
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export class FolderInUse extends Error {}

/** Takes an existing folder and returns the release; throws FolderInUse when another process has it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const servers: Server[] = []
  const release = async () => {
    for (const server of servers.reverse()) await new Promise((resolve) => server.close(resolve))
  }
  for (const name of socketNames(realpathSync(folder))) {
    const server = (await listen(name)) ?? (await takeOver(name))
    if (server === undefined) {
      await release()
      throw new FolderInUse(`the embedded database in ${folder} is in use by another process`)
    }
    servers.push(server.unref())
  }
  return release
}

/** The system cuts longer names off. */
const MAX_SOCKET_PATH = 100

function socketNames(path: string): string[] {
  const id = `purser-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`
  if (process.platform === 'win32') return [`\\\\.\\pipe\\${id}`]
  const file = join(path, 'in-use.sock')
  return [
    process.platform === 'linux' ? `\0${id}` : join(tmpdir(), `${id}.sock`),
    ...(file.length <= MAX_SOCKET_PATH ? [file] : []),
  ]
}

/** Undefined when the name is taken: somebody listens there, or (a file) died there. */
function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(name, () => resolve(server))
  })
}

/** A socket file whose process died is removed; a name outside the file system is never left behind. */
async function takeOver(name: string): Promise<Server | undefined> {
  if (!name.endsWith('.sock') || (await answers(name))) return undefined
  await rm(name, { force: true })
  return listen(name)
}

function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
