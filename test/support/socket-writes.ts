/** What leaves this process: each write to a socket is a system call for both sides. */
import { Socket } from 'node:net'
import { vi } from 'vitest'

/** Postgres' Terminate: a pool says it on a connection that nobody used for some seconds, whatever goes on elsewhere. */
const GOODBYE = Buffer.from([0x58, 0, 0, 0, 4])

/** What sockets are told to write while `work` is done: one chunk, or several in one call. */
export async function writesDuring(work: () => Promise<unknown>): Promise<number> {
  const spies = [vi.spyOn(Socket.prototype, '_write'), vi.spyOn(Socket.prototype, '_writev' as '_write')]
  await work()
  const calls = spies.flatMap((spy) => spy.mock.calls)
  for (const spy of spies) spy.mockRestore()
  return calls.filter(([chunk]) => !(Buffer.isBuffer(chunk) && chunk.equals(GOODBYE))).length
}
