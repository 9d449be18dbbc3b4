// Proxy before Postgres that delays each answer. The database is then the limit, and not the cores,
// which the generator shares.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface SlowProxy {
  url: string
  /** Milliseconds; 0 relays at once. */
  slowDown(milliseconds: number): void
  close(): void
}

export async function startSlowProxy(databaseUrl: string): Promise<SlowProxy> {
  const target = new URL(databaseUrl)
  const open = new Set<Socket>()
  let delayMs = 0
  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect({ host: target.hostname, port: +target.port, noDelay: true })
    client.on('data', (chunk) => server.write(chunk))
    server.on('data', (chunk) => {
      if (delayMs === 0) client.write(chunk)
      else setTimeout(() => client.write(chunk), delayMs)
    })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: Object.assign(new URL(databaseUrl), { port: `${address.port}` }).href,
    slowDown: (milliseconds) => {
      delayMs = milliseconds
    },
    close() {
      proxy.close()
      for (const socket of open) socket.destroy()
    },
  }
}
