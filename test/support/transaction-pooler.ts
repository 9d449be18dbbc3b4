/**
 * A pooler in transaction mode, as PgBouncer is one: each client logs in on a connection of the server's, which then serves
 * whatever transaction comes next, of any client.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

const TERMINATE = 'X'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)

export async function startTransactionPooler(url: string): Promise<{ url: string; stop(): void }> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const idle: Socket[] = []
  const clients = new Map<Socket, Socket>()
  const newBackend = () => {
    const backend = kept(connect(Number.parseInt(port, 10), hostname), sockets)
    let rest: Buffer = Buffer.alloc(0)
    backend.on('data', (data) => {
      const client = clients.get(backend)
      rest = Buffer.concat([rest, data])
      const { isIdle, read } = look(rest)
      rest = rest.subarray(read)
      if (isIdle && clients.delete(backend)) idle.push(backend)
      client?.write(data)
    })
    return backend
  }
  const server = createServer((client) => {
    const logIn = newBackend()
    clients.set(logIn, kept(client, sockets))
    client.on('data', (data) => {
      if (data[0] === TERMINATE) return
      const mine = [...clients].find(([, owner]) => owner === client)?.[0]
      const backend = mine ?? idle.pop() ?? logIn
      clients.set(backend, client)
      backend.write(data)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const pooled = new URL(url)
  pooled.port = String(typeof address === 'object' ? address?.port : 0)
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: pooled.href, stop }
}

function kept(socket: Socket, sockets: Set<Socket>): Socket {
  sockets.add(socket)
  return socket.on('error', () => {})
}

/** Whole messages of the server's: a byte for the type, four for the length, which counts itself. */
function look(bytes: Buffer): { isIdle: boolean; read: number } {
  let read = 0
  let isIdle = false
  while (bytes.length >= read + 5) {
    const end = read + 1 + bytes.readUInt32BE(read + 1)
    if (end > bytes.length) break
    isIdle = bytes[read] === READY_FOR_QUERY && bytes[read + 5] === IDLE
    read = end
  }
  return { isIdle, read }
}
