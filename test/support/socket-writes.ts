/** What leaves this process: each write to a socket is a system call for both sides. */
import { Socket } from 'node:net'
import { vi } from 'vitest'

/** What sockets are told to write while `work` is done: one chunk, or several in one call. */
export async function writesDuring(work: () => Promise<unknown>): Promise<number> {
  const spies = [vi.spyOn(Socket.prototype, '_write'), vi.spyOn(Socket.prototype, '_writev' as '_write')]
  await work()
  const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
  for (const spy of spies) spy.mockRestore()
  return count
}
