/** The client measures the time of each phase of a call (C-18). Each test delays one phase. */
import { once } from 'node:events'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createWalletClient } from '../../src/client/wallet-client.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Milliseconds: the delay, and the least that must be measured, since timers are not exact. */
const HELD_MS = 200
const SEEN_MS = 190
/**
 * Milliseconds until a call times out, enough for a busy machine, and until an answered call does.
 */
const GIVEN_UP_MS = 3_000
const ANSWERED_MS = 60_000

async function clientOf(
  answer: (response: ServerResponse) => unknown,
  { host = 'localhost', timeoutMs = ANSWERED_MS } = {},
) {
  const server = createHttpServer((request, response) => request.resume().once('end', () => answer(response)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  cleanups.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => server.closeAllConnections(),
  )
  return callerOf(`http://${host}:${(server.address() as AddressInfo).port}`, timeoutMs)
}

function callerOf(baseUrl: string, timeoutMs = GIVEN_UP_MS) {
  const client = createWalletClient({ baseUrl, secrets: ['secret'], connections: 1, timeoutMs })
  cleanups.push(() => client.close())
  return () => client.call('place', '{}', 'a-bet')
}

test('the first call measures lookup and connect, and the next call on the connection measures neither', async () => {
  const call = await clientOf((response) => response.end('{}'))
  expect(Object.keys((await call()).phases ?? {})).toEqual(['dnsMs', 'connectMs', 'firstByteMs', 'bodyMs'])
  expect(Object.keys((await call()).phases ?? {})).toEqual(['firstByteMs', 'bodyMs'])
})

test('a call to an IP address measures no lookup', async () => {
  const call = await clientOf((response) => response.end('{}'), { host: '127.0.0.1' })
  expect(Object.keys((await call()).phases ?? {})).toEqual(['connectMs', 'firstByteMs', 'bodyMs'])
})

test('a slow wallet counts as time to the first byte, and a slow writer counts as body time', async () => {
  const slow = await clientOf(async (response) => {
    await sleep(HELD_MS)
    response.end('{}')
  })
  const { firstByteMs = 0, bodyMs = HELD_MS } = (await slow()).phases ?? {}
  expect(firstByteMs).toBeGreaterThanOrEqual(SEEN_MS)
  expect(bodyMs).toBeLessThan(firstByteMs)
  const slowly = await clientOf(async (response) => {
    response.writeHead(200).flushHeaders()
    await sleep(HELD_MS)
    response.end('{}')
  })
  expect((await slowly()).phases?.bodyMs).toBeGreaterThanOrEqual(SEEN_MS)
})

test('a call that times out reports its step: no answer, or an incomplete answer', async () => {
  const givenUp = { timeoutMs: GIVEN_UP_MS }
  const silent = (await (await clientOf(() => {}, givenUp))()).phases
  expect(silent?.firstByteMs).toBeGreaterThanOrEqual(SEEN_MS)
  expect(silent).not.toHaveProperty('bodyMs')
  const half = (await (await clientOf((response) => response.writeHead(200).flushHeaders(), givenUp))()).phases
  expect(half?.bodyMs).toBeGreaterThanOrEqual(SEEN_MS)
})

test('an unfinished handshake counts as TLS time, and an unknown name counts as lookup time', async () => {
  const mute = createServer((socket) => socket.on('error', () => {}))
  await once(mute.listen(0, '127.0.0.1'), 'listening')
  cleanups.push(() => mute.close())
  const { phases } = await callerOf(`https://127.0.0.1:${(mute.address() as AddressInfo).port}`)()
  expect(Object.keys(phases ?? {})).toEqual(['connectMs', 'tlsMs'])
  expect(phases?.tlsMs).toBeGreaterThanOrEqual(SEEN_MS)
  expect(Object.keys((await callerOf('http://wallet.invalid')()).phases ?? {})).toEqual(['dnsMs'])
})

test('a call that waits for another call’s connection measures no connect step', async () => {
  const call = await clientOf(async (response) => {
    await sleep(HELD_MS / 2)
    response.end('{}')
  })
  const [first, second] = await Promise.all([call(), call()])
  expect(Object.keys(second.phases ?? {})).toEqual(['firstByteMs', 'bodyMs'])
  expect(first.phases).toHaveProperty('connectMs')
  const { firstByteMs = 0, bodyMs = 0 } = second.phases ?? {}
  expect(second.durationMs - firstByteMs - bodyMs).toBeGreaterThan(SEEN_MS / 4)
})
