/**
 * All four callers of a wallet treat a reply as unknown if it is complete only after 5 s, even if
 * it began earlier (C-2).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CALLERS, startOddServer, type Writes } from './callers.ts'

/** Milliseconds; after the 5 s of the interface, and before the kit's own timeout. */
const LATE_MS = 6_000
const good = (betId: string) => `{"transactionId":"${betId}","transactionTime":"${new Date().toISOString()}"}`
const headOf = (betId: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${good(betId).length}\r\n\r\n`

const LATE: [string, Writes][] = [
  ['nothing before it', (socket, betId) => void sleep(LATE_MS).then(() => socket.write(headOf(betId) + good(betId)))],
  [
    '100 Continue and the headers before it',
    (socket, betId) => {
      socket.write(`HTTP/1.1 100 Continue\r\n\r\n${headOf(betId)}`)
      void sleep(LATE_MS).then(() => socket.write(good(betId)))
    },
  ],
  [
    'its bytes one after the other',
    async (socket, betId) => {
      const text = headOf(betId) + good(betId)
      for (const char of text) {
        socket.write(char)
        await sleep(LATE_MS / text.length)
      }
    },
  ],
  ['the headers and nothing else', (socket, betId) => void socket.write(headOf(betId))],
]

test.concurrent.each(LATE)('all four callers treat a late answer alike: %s', async (_what, writes) => {
  const server = await startOddServer(writes)
  const readings = Object.entries(CALLERS).map(async ([name, call]) => [name, await call(server.url, 'place')] as const)
  expect(Object.fromEntries(await Promise.all(readings))).toEqual(
    Object.fromEntries(Object.keys(CALLERS).map((name) => [name, 'unknown'])),
  )
  await server.close()
})
