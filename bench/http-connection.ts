// One keep-alive connection on a bare socket, with at most one request in flight. The code reads
// only the status and the end of a reply. This costs half the CPU time of undici's pool (measured),
// on a machine shared with the server.
import { connect, type Socket } from 'node:net'

/** Stands for a status when the connection broke. */
export const BROKEN = 0
const HEAD_END = '\r\n\r\n'

export interface HttpConnection {
  /** onReply receives the status or BROKEN. */
  send(request: Buffer, onReply: (status: number) => void): void
  close(): void
}

export async function openHttpConnection(host: string, port: number): Promise<HttpConnection> {
  const socket = await connected(host, port)
  let replied: ((status: number) => void) | undefined
  let received = ''
  const finish = (status: number) => {
    const callback = replied
    replied = undefined
    received = ''
    callback?.(status)
  }
  socket.on('data', (chunk: string) => {
    received += chunk
    if (replyIsComplete(received)) finish(statusOf(received))
  })
  socket.on('error', () => finish(BROKEN))
  socket.on('close', () => finish(BROKEN))
  const send = (request: Buffer, onReply: (status: number) => void) => {
    if (socket.destroyed) return onReply(BROKEN)
    replied = onReply
    socket.write(request)
  }
  return { send, close: () => socket.destroy() }
}

function connected(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    socket.setEncoding('latin1')
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket.off('error', reject)))
  })
}

/** "HTTP/1.1 200 OK": the three digits after the first space. */
const statusOf = (reply: string): number => Math.trunc(+reply.slice(9, 12))

function replyIsComplete(received: string): boolean {
  const head = received.indexOf(HEAD_END)
  if (head < 0) return false
  const length = /content-length: *(\d+)/i.exec(received)
  if (!length) throw new Error(`a reply without content-length: ${received.slice(0, head)}`)
  return received.length >= head + HEAD_END.length + Math.trunc(+length[1]!)
}
