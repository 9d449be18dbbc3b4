/**
 * Limit of the open connections of a process.
 *
 * In a cluster Node's `maxConnections` is no limit. A full process returns a new connection to the
 * primary process, which offers it to the next one, again and again while all are full. A few
 * connections above the limit may request `/healthz`, because a failed liveness probe would end a
 * busy server.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { environment } from '@purser/runtime/environment'

export const PROBE_CONNECTIONS = 8
/** Milliseconds after which a connection above the limit is closed. */
const PROBE_MS = 2_000

export interface ConnectionLimit {
  /** Must be called before the server has other listeners for its connections. */
  attach(server: Server): void
  isProbe(socket: Socket): boolean
  /** False: the request came above the limit, and its connection is closed. */
  admits(request: IncomingMessage, response: ServerResponse): boolean
  refused(): number
}

export function createConnectionLimit(most = Number.POSITIVE_INFINITY, probeMs = PROBE_MS): ConnectionLimit {
  const probes = new WeakSet<Socket>()
  let open = 0
  let refused = 0
  const refuse = (socket: Socket) => {
    refused += 1
    socket.destroy()
  }
  const accept = (socket: Socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
    if (open <= most) return
    if (open > most + PROBE_CONNECTIONS) return refuse(socket)
    probes.add(socket)
    const cancel = environment.setTimer(probeMs, () => refuse(socket))
    socket.once('close', cancel)
  }
  return {
    attach: (server) => void server.prependListener('connection', accept),
    isProbe: (socket) => probes.has(socket),
    admits({ socket, url }, response) {
      if (!probes.has(socket)) return true
      if (url === '/healthz') {
        response.setHeader('connection', 'close')
        return true
      }
      refuse(socket)
      return false
    },
    refused: () => refused,
  }
}
