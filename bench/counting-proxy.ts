// Counts statements and round trips between a server and Postgres on the wire protocol. A statement
// is one CommandComplete, begin and commit included. A round trip ends when the client sends again
// after a reply.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface SqlCounts {
  statements: number
  roundTrips: number
}

export interface CountingProxy {
  url: string
  counts(): SqlCounts
  close(): void
}

const COMMAND_COMPLETE = 'C'.charCodeAt(0)
const TYPE_BYTES = 1
const LENGTH_BYTES = 4
const HEAD_BYTES = TYPE_BYTES + LENGTH_BYTES

export async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const target = new URL(databaseUrl)
  const counts: SqlCounts = { statements: 0, roundTrips: 0 }
  const open = new Set<Socket>()
  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect({ host: target.hostname, port: +target.port, noDelay: true })
    relay(client, server, counts)
    for (const socket of [client, server]) open.add(socket)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const close = () => {
    proxy.close()
    for (const socket of open) socket.destroy()
  }
  return {
    url: Object.assign(new URL(databaseUrl), { port: `${address.port}` }).href,
    counts: () => ({ ...counts }),
    close,
  }
}

function relay(client: Socket, server: Socket, counts: SqlCounts): void {
  let answered = true
  const countStatements = statementCounter(() => counts.statements++)
  client.on('data', (chunk) => {
    if (answered) counts.roundTrips++
    answered = false
    server.write(chunk)
  })
  server.on('data', (chunk) => {
    answered = true
    countStatements(chunk)
    client.write(chunk)
  })
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
  }
}

/** Reads the Postgres messages (type, length, content), which may span several chunks. */
function statementCounter(found: () => void): (chunk: Buffer) => void {
  let head = Buffer.alloc(0)
  let skip = 0
  return (chunk) => {
    let at = Math.min(skip, chunk.length)
    skip -= at
    while (at < chunk.length) {
      const more = chunk.subarray(at, at + HEAD_BYTES - head.length)
      head = Buffer.concat([head, more])
      at += more.length
      if (head.length < HEAD_BYTES) return
      if (head[0] === COMMAND_COMPLETE) found()
      skip = head.readInt32BE(TYPE_BYTES) - LENGTH_BYTES
      head = Buffer.alloc(0)
      const skipped = Math.min(skip, chunk.length - at)
      at += skipped
      skip -= skipped
    }
  }
}
