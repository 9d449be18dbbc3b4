/**
 * A pooler in transaction mode, like PgBouncer. Each client logs in on a server connection, which
 * then serves any transaction of any client. A client waits while others use all connections.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

const QUERY = 'Q'.charCodeAt(0)
const SYNC = 'S'.charCodeAt(0)
const TERMINATE = 'X'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
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
  const waiting: { client: Client; message: Buffer }[] = []

  const send = (client: Client, message: Buffer) => {
    if (message[0] === QUERY || message[0] === SYNC) client.awaited += 1
    client.backend?.write(message)
  }
  const take = (client: Client, message: Buffer) => {
    if (message[0] === TERMINATE) return
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
    const onMessage = (message: Buffer) => {
      const owner = owners.get(backend)
      owner?.socket.write(message)
      if (message[0] !== READY_FOR_QUERY || owner === undefined) return
      owner.awaited -= 1
      if (owner.awaited > 0 || message[5] !== IDLE) return
      owner.backend = undefined
      owners.delete(backend)
      idle.push(backend)
      serve()
    }
    backend.on('data', wholeMessages(onMessage))
  }

  const server = createServer((socket) => {
    const client: Client = { socket: kept(socket, sockets), backend: undefined, awaited: 1 }
    logIn(client)
    socket.on(
      'data',
      wholeMessages((message) => take(client, message), 'begins without a type'),
    )
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

/**
 * Splits the data into messages: a byte for the type, then four for the length, which includes
 * itself. The first message of a client has no type.
 */
function wholeMessages(onMessage: (message: Buffer) => void, begins?: 'begins without a type') {
  let rest: Buffer = Buffer.alloc(0)
  let type = begins === undefined ? 1 : 0
  return (data: Buffer) => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= type + 4) {
      const end = type + rest.readUInt32BE(type)
      if (end > rest.length) return
      const message = rest.subarray(0, end)
      rest = rest.subarray(end)
      type = 1
      onMessage(message)
    }
  }
}
