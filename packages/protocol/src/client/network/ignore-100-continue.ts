/**
 * Connections that ignore an unrequested `100 Continue` (C-11).
 *
 * HTTP allows a server to send a 100 before any answer, and some servers do. undici closes the
 * connection at a 100, so the answer would be lost. undici ignores every other 1xx.
 */
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** Each socket returns a received 100 as a 103, which has the same length, so no offset changes. */
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

/** Servers write such a head in one piece, and no other bytes precede it on the connection. */
function rewriteContinueHeads(bytes: Buffer): void {
  let at = 0
  while (bytes.length - at >= CONTINUE.length && CONTINUE.compare(bytes, at, at + CONTINUE.length) === 0) {
    bytes[at + LAST_DIGIT] = THREE
    const end = bytes.indexOf(END_OF_HEAD, at)
    if (end < 0) return
    at = end + END_OF_HEAD.length
  }
}
