/**
 * Limit of the connections that are open to a process at once.
 *
 * Node's own `maxConnections` would not do in a cluster: a process that is full hands a connection
 * back, and it would go round while all of them are full. A few connections above the limit may
 * ask for `/healthz` and nothing else, because a failed liveness probe would end a busy server.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { environment } from '../../../runtime/environment.ts'

/** Connections above the limit that may ask for `/healthz`. */
export const PROBE_CONNECTIONS = 8
/** Milliseconds after which such a connection is closed. */
const PROBE_MS = 2_000

export interface ConnectionLimit {
  /** Call it before other listeners of the server see its connections. */
  attach(server: Server): void
  /** The connection is above the limit. */
  isProbe(socket: Socket): boolean
  /** False: the request came above the limit, and its connection is closed. */
  admits(request: IncomingMessage, response: ServerResponse): boolean
  /** Connections that were refused. */
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
