/**
 * The sandbox requests a frame session again if the wallet did not answer in time, as on a busy
 * machine.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createBearerClient } from '../../src/sandbox/bearer-client.ts'
import { requestFrameSession } from '../../src/sandbox/bettors/frame-session-request.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** Gives each answer once; the last one repeats. */
async function platformThat(...answers: (readonly [number, object])[]) {
  server = createServer((_request, response) => {
    const [status, body] = (answers.length > 1 ? answers.shift() : answers[0]) ?? [500, {}]
    response.writeHead(status, { connection: 'close' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return createBearerClient(`http://127.0.0.1:${port}`, 'key')
}

test('the sandbox requests a frame session again when the wallet did not answer', async () => {
  const failed = [502, { code: 'partner_failed' }] as const
  const platform = await platformThat(failed, failed, [201, { frameSessionId: 'loaded' }])
  expect(await requestFrameSession(platform, 'acme', 'token')).toBe('loaded')
})

test('the sandbox does not repeat a request for a frame session that the wallet refused', async () => {
  const platform = await platformThat([422, { code: 'partner_refused' }])
  await expect(requestFrameSession(platform, 'acme', 'token')).rejects.toThrow('answered 422')
})
