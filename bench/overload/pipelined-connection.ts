// One connection with several calls in flight, whose replies arrive in order. It reads only the
// status line, because the generator shares the machine with the server.
import { connect, type Socket } from 'node:net'
import type { RequestSlab } from '../request-slab.ts'

/**
 * Receives a number of consecutive replies with one status (0 when the connection broke). Their
 * calls were sent at the same time.
 */
export type AnswerListener = (status: number, count: number, sentAt: number) => void

export interface PipelinedConnection {
  /** Keeps this number of calls in flight from now on. */
  keepWaiting(depth: number): void
  /** Sends no more; calls in flight are still answered. */
  stopSending(): void
  waiting(): number
  close(): void
}

interface SentCalls {
  readonly at: number
  count: number
}

export async function openPipelinedConnection(
  port: number,
  requests: RequestSlab,
  answered: AnswerListener,
): Promise<PipelinedConnection> {
  const socket = await connected(port)
  const sent: SentCalls[] = []
  let depth = 0
  let waiting = 0
  let rest: Buffer = NOTHING
  const send = () => {
    const { bytes, count } = requests.takeMany(depth - waiting)
    if (count === 0) return
    waiting += count
    sent.push({ at: performance.now(), count })
    socket.write(bytes)
  }
  const countAnswers = (status: number, count: number) => {
    waiting -= count
    for (let left = count; left > 0; ) {
      const first = sent[0] as SentCalls
      const now = Math.min(left, first.count)
      answered(status, now, first.at)
      left -= now
      first.count -= now
      if (first.count === 0) sent.shift()
    }
  }
  socket.on('data', (chunk: Buffer) => {
    rest = readAnswers(rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk, countAnswers)
    send()
  })
  socket.on('close', () => {
    depth = 0
    if (waiting > 0) countAnswers(0, waiting)
  })
  return {
    keepWaiting(wanted) {
      depth = socket.destroyed ? 0 : wanted
      send()
    },
    stopSending() {
      depth = 0
    },
    waiting: () => waiting,
    close: () => socket.destroy(),
  }
}

const STATUS_LINE = 'HTTP/1.1 '
const STATUS_LINE_BYTES = STATUS_LINE.length + 3
const NOTHING = Buffer.alloc(0)

/** Reports each run of replies with the same status; returns the bytes of an incomplete reply. */
function readAnswers(bytes: Buffer, countAnswers: (status: number, count: number) => void): Buffer {
  let status = 0
  let count = 0
  const last = bytes.length - STATUS_LINE_BYTES
  for (let at = bytes.indexOf(STATUS_LINE); at >= 0 && at <= last; at = bytes.indexOf(STATUS_LINE, at + 1)) {
    const next = statusAt(bytes, at + STATUS_LINE.length)
    if (next !== status && count > 0) countAnswers(status, count)
    count = next === status ? count + 1 : 1
    status = next
  }
  if (count > 0) countAnswers(status, count)
  const begun = bytes.indexOf(STATUS_LINE.charAt(0), Math.max(0, last + 1))
  return begun < 0 ? NOTHING : bytes.subarray(begun)
}

const ZERO = '0'.charCodeAt(0)

function statusAt(bytes: Buffer, at: number): number {
  const digit = (index: number) => (bytes[at + index] as number) - ZERO
  return digit(0) * 100 + digit(1) * 10 + digit(2)
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket.off('error', reject).on('error', () => {})))
  })
}
