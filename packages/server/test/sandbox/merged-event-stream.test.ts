/**
 * The sandbox merges the event streams of wallet and platform, and leaves no stream open for a
 * reader that disconnects early.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { BearerClient } from '../../src/sandbox/bearer-client.ts'
import { streamMergedEvents } from '../../src/sandbox/frame/merged-event-stream.ts'
import { serveWhoLeaves } from '../support/leaving.ts'
import { signal } from '../support/signal.ts'

/** Endless streams, like the wallet's and the platform's. */
async function endlessStreams() {
  const server = createServer((_request, response) => void response.writeHead(200).write(':\n\n'))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const api = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'key' } as BearerClient
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { api, close }
}

test('a reader that disconnects during authentication leaves no stream open', async () => {
  const sides = await endlessStreams()
  const [asked, admitted, opened] = [signal(), signal(), signal()]
  let outcome: Promise<unknown> = Promise.resolve()
  const server = await serveWhoLeaves(
    (api) => {
      api.get('/live', { config: { role: 'read' } }, (request, reply) => {
        const streamed = streamMergedEvents({ wallet: sides.api, platform: sides.api }, request, reply)
        outcome = streamed.then(
          () => 'streams are open',
          () => 'none is open',
        )
        opened.give()
        return streamed
      })
    },
    async () => {
      asked.give()
      await admitted.given
    },
  )
  const leaving = new AbortController()
  const left = fetch(`${server.url}/live`, { signal: leaving.signal }).catch(() => 'left')
  await asked.given
  leaving.abort()
  expect(await left).toBe('left')
  await server.gone
  admitted.give()
  await opened.given
  expect(await outcome).toBe('none is open')
  sides.close()
  await server.close()
})
