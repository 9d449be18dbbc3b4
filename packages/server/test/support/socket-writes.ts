/**
 * Counts the writes of this process to sockets, because each write costs a system call in this
 * process and in the receiver.
 */
import { Socket } from 'node:net'
import { vi } from 'vitest'

/**
 * Postgres' Terminate message. A pool sends it on a connection that was idle for some seconds,
 * independently of other work.
 */
const GOODBYE = Buffer.from([0x58, 0, 0, 0, 4])

/** Several chunks in one call count once. */
export async function writesDuring(work: () => Promise<unknown>): Promise<number> {
  const spies = [vi.spyOn(Socket.prototype, '_write'), vi.spyOn(Socket.prototype, '_writev' as '_write')]
  await work()
  const calls = spies.flatMap((spy) => spy.mock.calls)
  for (const spy of spies) spy.mockRestore()
  return calls.filter(([chunk]) => !(Buffer.isBuffer(chunk) && chunk.equals(GOODBYE))).length
}
