/**
 * Write coalescing: each answer is one write. During an overload all answers of one turn of the
 * event loop are one write.
 *
 * Node writes an answer in two pieces, of which the second is empty. It writes the answers of a
 * connection one after another, each after the previous write has ended. With many calls on a
 * connection these writes take 40 % of a busy server's time.
 */
import type { Socket } from 'node:net'
import { environment } from '@purser/runtime/environment'

/**
 * While `isCoalescing()`, all data of one turn of the event loop is one write, and each part counts
 * as written at once. Otherwise each answer is one write: Node corks the connection, writes the
 * head and the body, and then an empty string.
 */
export function coalesceWrites(socket: Socket, isCoalescing: () => boolean): void {
  const write = socket.write.bind(socket) as (data: unknown, encoding?: unknown, onWritten?: unknown) => boolean
  const end = socket.end.bind(socket) as (...rest: unknown[]) => Socket
  let answers = ''
  const flush = () => {
    if (answers !== '') write(answers, 'latin1')
    answers = ''
  }
  const writeCoalesced = (data: unknown, encoding?: unknown, onWritten?: unknown): boolean => {
    const isLast = data === '' && !isCoalescing()
    if (!isAnswer(data, encoding) || (!isCoalescing() && !isLast && socket.writableCorked === 0)) {
      flush()
      return write(data, encoding, onWritten)
    }
    if (isLast) {
      const answer = answers
      answers = ''
      return write(answer, 'latin1', onWritten)
    }
    if (answers === '') isCoalescing() ? environment.nextTurn(flush) : process.nextTick(flush)
    answers += data
    if (typeof onWritten === 'function') process.nextTick(onWritten)
    return !socket.writableNeedDrain
  }
  socket.write = writeCoalesced as typeof socket.write
  socket.end = (...rest: unknown[]) => {
    flush()
    return end(...rest)
  }
}

/** In an answer of the wire each character is a byte. */
function isAnswer(data: unknown, encoding: unknown): boolean {
  return data === '' || (typeof data === 'string' && encoding === 'latin1')
}
