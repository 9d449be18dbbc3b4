/**
 * An answer goes out in one write, and answers to calls that came together go out together. Node writes an answer in two pieces, of which the second
 * one is empty, and those of one connection one by one, each when the one before it has been written: with many calls on a
 * connection that is 40 % of a busy server's time.
 */
import type { Socket } from 'node:net'
import { environment } from '../../../runtime/environment.ts'

/**
 * While `isCoalescing()`, what is written in one turn of the event loop is one write, and counts as written at once. Else each answer is one: Node corks the
 * connection, writes head and body, and then an empty text.
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

/** Answers of the wire: each character is a byte. */
function isAnswer(data: unknown, encoding: unknown): boolean {
  return data === '' || (typeof data === 'string' && encoding === 'latin1')
}
