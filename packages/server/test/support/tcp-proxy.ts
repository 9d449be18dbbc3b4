/**
 * A network with faults between a wallet and its database.
 *
 * During a silence the network closes no connection and delivers no data, as with a pulled cable or
 * a firewall that forgets a connection. Data sent meanwhile arrive later, as in TCP. A delay makes
 * the database's answers late.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TcpProxy {
  url: string
  silence(): void
  resume(): void
  /** The database's answers arrive this much later from now on. */
  delay(milliseconds: number): void
  cut(): void
  /** New connections go to this server. */
  leadTo(databaseUrl: string): void
  close(): Promise<void>
}

export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  let target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let silent = false
  let delayMs = 0
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true })
    for (const [from, to, lateMs] of [
      [inner, outer, () => 0],
      [outer, inner, () => delayMs],
    ] as const) {
      sockets.add(from.once('close', () => sockets.delete(from)))
      forward(from, to, lateMs)
      if (silent) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: withPort(databaseUrl, server.address()),
    silence() {
      silent = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      silent = false
      for (const socket of sockets) socket.resume()
    },
    delay(milliseconds) {
      delayMs = milliseconds
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    leadTo(databaseUrl) {
      target = new URL(databaseUrl)
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A paused socket is not read, so even its end is not noticed. */
function forward(from: Socket, to: Socket, lateMs: () => number): void {
  from.setNoDelay(true)
  let last = Promise.resolve()
  from.on('data', (chunk) => {
    const dueAt = performance.now() + lateMs()
    last = last.then(async () => {
      const waitMs = dueAt - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      to.write(chunk)
    })
  })
  const end = () => void last.then(() => to.end())
  from.on('end', end)
  from.on('close', end)
  from.on('error', () => {})
}

function withPort(url: string, address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const changed = new URL(url)
  changed.port = `${address.port}`
  return changed.href
}
