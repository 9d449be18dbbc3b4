/**
 * Connections that pass over `100 Continue` (C-11). We ask for none, but some servers send it before every answer, as HTTP
 * allows; undici breaks the connection off at it, and a good answer behind it would be lost. Any other 1xx it passes over.
 */
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** As `connect` does, but each socket shows 100 as 103 to its reader: the same length, so nothing else moves. */
export function ignoreContinue(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (error, socket) => {
      if (error !== null) return callback(error, null)
      callback(null, wrapSocket(socket))
    })
}

function wrapSocket(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  socket.read = (size?: number) => {
    const bytes: unknown = read(size)
    if (bytes instanceof Buffer) rewriteContinueHeads(bytes)
    return bytes
  }
  return socket
}

const CONTINUE = Buffer.from('HTTP/1.1 100 ')
const LAST_DIGIT = CONTINUE.length - 2
const THREE = '3'.charCodeAt(0)
const END_OF_HEAD = '\r\n\r\n'

/** Those that the bytes begin with: servers write one whole, and nothing precedes it on its connection. */
function rewriteContinueHeads(bytes: Buffer): void {
  let at = 0
  while (bytes.length - at >= CONTINUE.length && CONTINUE.compare(bytes, at, at + CONTINUE.length) === 0) {
    bytes[at + LAST_DIGIT] = THREE
    const end = bytes.indexOf(END_OF_HEAD, at)
    if (end < 0) return
    at = end + END_OF_HEAD.length
  }
}
