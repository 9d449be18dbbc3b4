/**
 * A connection pooler in transaction mode, like PgBouncer. Each client logs in on a server
 * connection, which then serves any transaction of any client. A client waits while other clients
 * use all connections.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import {
  CLIENT_MESSAGE,
  CONTENT_AT,
  createMessageReader,
  type PostgresMessage,
  SERVER_MESSAGE,
} from '../../src/core/database/postgres/postgres-messages.ts'

const IDLE = 'I'.charCodeAt(0)

interface Client {
  readonly socket: Socket
  backend: Socket | undefined
  /** Number of `ReadyForQuery` answers still to come; the first one ends the login. */
  awaited: number
}

export async function startTransactionPooler(url: string): Promise<{ url: string; stop(): void }> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const idle: Socket[] = []
  const owners = new Map<Socket, Client>()
  const waiting: { client: Client; message: PostgresMessage }[] = []

  const send = (client: Client, message: PostgresMessage) => {
    if (message.type === CLIENT_MESSAGE.query || message.type === CLIENT_MESSAGE.sync) client.awaited += 1
    client.backend?.write(message.bytes)
  }
  const take = (client: Client, message: PostgresMessage) => {
    if (message.type === CLIENT_MESSAGE.terminate) return
    if (client.backend !== undefined) return send(client, message)
    waiting.push({ client, message })
    serve()
  }
  const serve = () => {
    while (idle.length > 0 && waiting[0] !== undefined) {
      const { client } = waiting[0]
      own(client, idle.pop())
      const [mine, others] = [
        waiting.filter((it) => it.client === client),
        waiting.filter((it) => it.client !== client),
      ]
      waiting.splice(0, waiting.length, ...others)
      for (const { message } of mine) send(client, message)
    }
  }
  const own = (client: Client, backend: Socket | undefined) => {
    client.backend = backend
    if (backend !== undefined) owners.set(backend, client)
  }
  const logIn = (client: Client) => {
    const backend = kept(connect(Number.parseInt(port, 10), hostname), sockets)
    own(client, backend)
    const onMessage = (message: PostgresMessage) => {
      const owner = owners.get(backend)
      owner?.socket.write(message.bytes)
      if (message.type !== SERVER_MESSAGE.readyForQuery || owner === undefined) return
      owner.awaited -= 1
      if (owner.awaited > 0 || message.bytes[CONTENT_AT] !== IDLE) return
      owner.backend = undefined
      owners.delete(backend)
      idle.push(backend)
      serve()
    }
    const read = createMessageReader('has a type')
    backend.on('data', (data) => read(data).forEach(onMessage))
  }

  const server = createServer((socket) => {
    const client: Client = { socket: kept(socket, sockets), backend: undefined, awaited: 1 }
    logIn(client)
    const read = createMessageReader('has no type')
    socket.on('data', (data) => {
      for (const message of read(data)) take(client, message)
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
