/**
 * One process per folder: PGlite itself does not notice a second one, and two would destroy the files. The lock is a
 * listening local socket, because the system closes it when its process dies, however it dies; a file with a process
 * number would outlive a `kill -9`.
 */
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'

export class FolderInUse extends Error {}

/** Takes the folder and returns the release; throws FolderInUse when another process has it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'in-use.sock')
  const server = (await listen(path)) ?? (await takeOver(path))
  if (server === undefined) throw new FolderInUse(`the embedded database in ${folder} is in use by another process`)
  server.unref()
  return () => new Promise((resolve) => server.close(() => resolve()))
}

/** Undefined when the path exists: somebody listens there, or died there. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(path, () => resolve(server))
  })
}

async function takeOver(path: string): Promise<Server | undefined> {
  if (await answers(path)) return undefined
  await rm(path, { force: true })
  return listen(path)
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
