/** Connections cost little, too: there is a limit of them, and none is kept by a caller that does not read its answer. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createHttpApp, type HttpAppOptions } from '../../src/http/app.ts'
import type { Finishing } from '../support/fault-scene.ts'

/** More than the buffers of two sockets. */
const LARGE = Buffer.alloc(64 * 1024 * 1024)

async function listen(options: HttpAppOptions, { onTestFinished }: Finishing) {
  const http = createHttpApp(options)
  http.app.get('/large', (_request, reply) => reply.send(LARGE))
  http.app.get('/small', async () => ({ status: 'ok' }))
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

test('an answer that is not read ends its connection', async (context) => {
  const { app, caller } = await listen({ unreadMs: 100 }, context)
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
  const third = caller()
  await once(third, 'close')
  expect(connectionsRefused()).toBe(1)
  const answered = once(second, 'data')
  ask(second, '/small')
  expect(`${await answered}`).toContain('200 OK')
  first.destroy()
  await expect.poll(() => answeredOn(caller())).toBe(true)
})

/** False: it was closed before. */
async function answeredOn(socket: Socket): Promise<boolean> {
  ask(socket, '/small')
  const [event] = await Promise.race([
    once(socket, 'data').then(() => ['data']),
    once(socket, 'close').then(() => ['close']),
  ])
  return event === 'data'
}
