/**
 * A server limits the number of connections, and closes the connection of a caller that does not
 * read its answer.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { PROBE_CONNECTIONS } from '../../src/core/http/connection-limit.ts'
import { createHttpApp, type HttpAppOptions } from '../../src/core/http/http-app.ts'
import type { Finishing } from '../support/fault-scene.ts'

/** More than the buffers of two sockets. */
const LARGE = Buffer.alloc(64 * 1024 * 1024)

async function listen(options: HttpAppOptions, { onTestFinished }: Finishing) {
  const http = createHttpApp(options)
  http.app.get('/large', (_request, reply) => reply.send(LARGE))
  for (const path of ['/small', '/healthz']) http.app.get(path, async () => ({ status: 'ok' }))
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => {
    http.app.server.closeAllConnections()
    return http.app.close()
  })
  const caller = () => {
    const socket = connect(Number.parseInt(new URL(url).port, 10), '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    return socket
  }
  return { ...http, caller }
}

const ask = (socket: Socket, path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)

test('a connection is closed if its answer is not read', async (context) => {
  const { app, caller } = await listen({ stalledResponseMs: 100 }, context)
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const silent = caller().pause()
  const [served] = await accepted
  const ended = once(served, 'close')
  ask(silent, '/large')
  await ended
})

test('a connection beyond the limit is closed and counted, and the others go on', async (context) => {
  const { caller, connectionsRefused } = await listen({ maxConnections: 2 }, context)
  const [first, second] = [caller(), caller()]
  await Promise.all([once(first, 'connect'), once(second, 'connect')])
  expect(await answeredOn(caller())).toBe(false)
  expect(connectionsRefused()).toBe(1)
  const answered = once(second, 'data')
  ask(second, '/small')
  expect(`${await answered}`).toContain('200 OK')
  first.destroy()
  await expect.poll(() => answeredOn(caller())).toBe(true)
})

test('a probe of /healthz is answered at the limit, and its connection is then closed', async (context) => {
  const { caller, connectionsRefused } = await listen({ maxConnections: 1 }, context)
  await once(caller(), 'connect')
  const probe = caller()
  const closed = once(probe, 'close')
  const answered = once(probe, 'data')
  ask(probe, '/healthz')
  expect(`${await answered}`).toMatch(/^HTTP\/1.1 200 OK[\s\S]*connection: close/i)
  await closed
  expect(connectionsRefused()).toBe(0)
})

test('few connections are reserved for probes, each only for a moment', async (context) => {
  const { caller, connectionsRefused } = await listen({ maxConnections: 1, probeMs: 50 }, context)
  await once(caller(), 'connect')
  const silent = Array.from({ length: PROBE_CONNECTIONS }, caller)
  await Promise.all(silent.map((one) => once(one, 'connect')))
  await Promise.all([caller(), ...silent].map((one) => once(one, 'close')))
  expect(connectionsRefused()).toBe(PROBE_CONNECTIONS + 1)
  expect(await answeredOn(caller(), '/healthz')).toBe(true)
})

/** False if the connection was closed before the answer. */
async function answeredOn(socket: Socket, path = '/small'): Promise<boolean> {
  ask(socket, path)
  return Promise.race([
    once(socket, 'data').then(
      () => true,
      () => false, // a reset
    ),
    once(socket, 'close').then(() => false),
  ])
}
