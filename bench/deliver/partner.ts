// A partner that accepts every call at once and records arrival times. It parses bytes by hand,
// because an HTTP framework would cost more than the platform.
import { createServer, type Socket } from 'node:net'

const PORT = Number(process.env.PORT)
const DELAY_MS = Number(process.env.DELAY_MS ?? 0)
const calls = { settles: 0, firstSettleAt: 0, lastSettleAt: 0, again: 0, rollbacks: {} as Record<string, number> }
const seen = new Set<string>()

createServer((socket) => {
  let rest = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    rest += bytes.toString('latin1')
    for (let end = endOf(rest); end > 0; end = endOf(rest)) {
      answer(socket, rest.slice(0, end))
      rest = rest.slice(end)
    }
  })
}).listen(PORT, process.env.HOST)

/** End of the first request; 0 while it is incomplete. */
function endOf(text: string): number {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return 0
  const end = head + 4 + Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
  return end <= text.length ? end : 0
}

function answer(socket: Socket, request: string): void {
  if (request.startsWith('GET')) {
    send(socket, JSON.stringify(calls))
    return
  }
  const transactionId = /"transactionId":"([^"]*)"/.exec(request)?.[1] ?? ''
  // Without a transactionId, the call only tests the address.
  if (transactionId !== '') note(transactionId, request.includes('"type":3'))
  const reply = JSON.stringify({ transactionId, transactionTime: '2031-05-16T12:00:00.000Z' })
  if (DELAY_MS === 0) send(socket, reply)
  else setTimeout(send, DELAY_MS, socket, reply)
}

function note(transactionId: string, isRollback: boolean): void {
  const now = Date.now()
  if (isRollback) {
    calls.rollbacks[transactionId] ??= now
    return
  }
  if (seen.has(transactionId)) calls.again++
  seen.add(transactionId)
  calls.settles++
  calls.firstSettleAt ||= now
  calls.lastSettleAt = now
}

function send(socket: Socket, body: string): void {
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
}

process.on('SIGTERM', () => process.exit(0))
