// Counts statements and round trips between a server and Postgres on the wire protocol. A statement
// is one CommandComplete, begin and commit included. A round trip ends when the client sends again
// after a reply.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createMessageReader, SERVER_MESSAGE } from 'purser/core/database/postgres/postgres-messages'

export interface SqlCounts {
  statements: number
  roundTrips: number
}

export interface CountingProxy {
  url: string
  counts(): SqlCounts
  close(): void
}

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
  const read = createMessageReader('has a type')
  client.on('data', (chunk) => {
    if (answered) counts.roundTrips++
    answered = false
    server.write(chunk)
  })
  server.on('data', (chunk) => {
    answered = true
    for (const { type } of read(chunk)) if (type === SERVER_MESSAGE.commandComplete) counts.statements++
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
