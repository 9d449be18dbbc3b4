/**
 * The client reads valid replies that have a byte order mark or follow `100 Continue` (C-11).
 * four-callers.test.ts tests how each caller of the client reads such replies.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createWalletClient } from '../../src/client/wallet-client.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const GOOD = '{"transactionId":"a-bet-that-is-known","transactionTime":"2031-05-16T12:00:00Z"}'
const BOM = '\u{FEFF}'

/** The second call uses the connection of the first. */
async function clientOf(answer: (response: ServerResponse) => void) {
  const connections = new Set<unknown>()
  const server = createServer((request, response) => {
    connections.add(request.socket)
    request.resume().once('end', () => answer(response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createWalletClient({ baseUrl, secrets: ['secret'], connections: 1 })
  cleanups.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => server.closeAllConnections(),
    () => client.close(),
  )
  const call = () => client.call('place', '{}', 'a-bet-that-is-known')
  return { call, connections }
}

test('a byte order mark before the answer is ignored', async () => {
  const { call } = await clientOf((response) => response.end(BOM + GOOD))
  expect(await call()).toMatchObject({ outcome: { kind: 'accepted' }, status: 200, body: GOOD })
})

describe('the client ignores 100 Continue', () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
  test.each([
    ['alone, a moment before the answer', CONTINUE, false],
    ['in one piece with the answer', CONTINUE, true],
    ['twice', CONTINUE + CONTINUE, true],
    ['with headers of its own', 'HTTP/1.1 100 Continue\r\nServer: x\r\n\r\n', true],
  ])('sent %s, and reuses the connection', async (_when, text, isOnePiece) => {
    const { call, connections } = await clientOf((response) => {
      if (isOnePiece) response.socket?.cork()
      response.socket?.write(text, () => isOnePiece || response.end(GOOD))
      if (isOnePiece) response.end(GOOD)
      response.socket?.uncork()
    })
    for (let calls = 0; calls < 2; calls++)
      expect(await call()).toMatchObject({ outcome: { kind: 'accepted' }, status: 200, body: GOOD })
    expect(connections.size).toBe(1)
  })

  test('without a final answer, and waits for the answer', async () => {
    const { call } = await clientOf((response) => response.writeContinue(() => response.socket?.destroy()))
    expect((await call()).outcome).toMatchObject({ kind: 'unknown', reason: 'network' })
  })
})
