/**
 * An answer goes out in one write, and answers to calls that came together go out together. Node writes an answer in two pieces, of which the second
 * one is empty, and those of one connection one by one, each when the one before it has been written: with many calls on a
 * connection that is 40 % of a busy server's time.
 */
import type { Socket } from 'node:net'
import { world } from '../runtime/world.ts'

/**
 * While `isOn()`, what is written in one turn of the event loop is one write, and counts as written at once. Else each answer is one: Node corks the
 * connection, writes head and body, and then an empty text.
 */
export function writeTogether(socket: Socket, isOn: () => boolean): void {
  const write = socket.write.bind(socket) as (data: unknown, encoding?: unknown, written?: unknown) => boolean
  const end = socket.end.bind(socket) as (...rest: unknown[]) => Socket
  let answers = ''
  const flush = () => {
    if (answers !== '') write(answers, 'latin1')
    answers = ''
  }
  const together = (data: unknown, encoding?: unknown, written?: unknown): boolean => {
    const isLast = data === '' && !isOn()
    if (!isAnswer(data, encoding) || (!isOn() && !isLast && socket.writableCorked === 0)) {
      flush()
      return write(data, encoding, written)
    }
    if (isLast) {
      const answer = answers
      answers = ''
      return write(answer, 'latin1', written)
    }
    if (answers === '') isOn() ? world.nextTurn(flush) : process.nextTick(flush)
    answers += data
    if (typeof written === 'function') process.nextTick(written)
    return !socket.writableNeedDrain
  }
  socket.write = together as typeof socket.write
  socket.end = (...rest: unknown[]) => {
    flush()
    return end(...rest)
  }
}

/** Answers of the wire: each character is a byte. */
function isAnswer(data: unknown, encoding: unknown): boolean {
  return data === '' || (typeof data === 'string' && encoding === 'latin1')
}
