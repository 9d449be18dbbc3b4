/**
 * A partner has 5 s for connection, headers and body of an answer together (C-2, P5). The test uses
 * real time.
 */
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lateMs } from '../support/fault-scene.ts'
import { type PlacedBet, startPlatform, type TestPlatform } from '../support/platform.ts'
import { hang, type ReceivedCall, type Script, type ScriptedWallet } from '../support/scripted-wallet.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.stop())

/**
 * Longer than one time-out of 5 s on a busy machine, and shorter than two: one time-out covers the
 * whole call (C-2).
 */
const ONE_TIME_OUT_MS = 9_000

interface Scene {
  wallet: ScriptedWallet
  placed: PlacedBet
  tookMs: number
  place: ReceivedCall
  rollback: ReceivedCall
}

/** Each case has its own partner, so that all cases wait at the same time. */
async function placeAndWait(script: Script): Promise<Scene> {
  const { wallet, partnerId } = await platform.partner()
  const frame = await platform.api.loadFrame(partnerId)
  wallet.next('place', script)
  const startedAt = performance.now()
  const placed = await platform.api.place(frame)
  const tookMs = performance.now() - startedAt
  const [rollback] = await wallet.seen('rollback', 1)
  const [place] = wallet.of('place')
  if (place === undefined || rollback === undefined) throw new Error('a call is missing')
  return { wallet, placed, tookMs, place, rollback }
}

const cases: [string, Script][] = [
  ['no answer', hang],
  ['an answer after 5.2 s', { delayMs: 5_200 }],
  ['the headers at once and the body after 9 s', { bodyDelayMs: 9_000 }],
]
test.concurrent.each(cases)('%s is rolled back with errorCode 10, after 5 s (P5)', async (_what, script) => {
  const { placed, place, rollback, tookMs } = await placeAndWait(script)
  const gap = rollback.realAt - place.realAt
  expect(gap).toBeGreaterThan(4_950 - lateMs()) // the first call may have been received late
  expect(gap).toBeLessThan(ONE_TIME_OUT_MS)
  expect(tookMs).toBeLessThan(ONE_TIME_OUT_MS)
  expect([placed.status, placed.reason]).toEqual(['cancelled', 'rollback 10'])
  expect(rollback.body).toMatchObject({ errorCode: 10, transactionId: placed.betId, amount: 10 })
  const { deliveries } = await platform.api.bet(placed.betId)
  expect(deliveries[0]?.error).toMatch(/^time_out: /)
  expect(deliveries[0]?.attemptList[0]?.durationMs).toBeGreaterThanOrEqual(4_990)
})

test.concurrent('an answer after 4.1 s is in time (P5)', async () => {
  const { wallet, partnerId } = await platform.partner()
  const frame = await platform.api.loadFrame(partnerId)
  wallet.next('place', { delayMs: 3_500, bodyDelayMs: 600 })
  expect((await platform.api.place(frame)).status).toBe('accepted')
  expect(wallet.of('rollback')).toEqual([])
})

/**
 * A server that accepts and never sends has the same effect on the handshake as a server with a
 * full queue of connections.
 */
test.concurrent('a partner that never finishes the handshake is rolled back with errorCode 10 (P5)', async () => {
  const { wallet, partnerId } = await platform.partner()
  const frame = await platform.api.loadFrame(partnerId)
  const silent = await silentServer()
  await platform.api.savePartner({ url: silent.url, secret: wallet.secret }, partnerId)
  const startedAt = performance.now()
  const { betId, reason } = await platform.api.place(frame)
  expect(reason).toBe('rollback 10')
  expect(performance.now() - startedAt).toBeLessThan(ONE_TIME_OUT_MS)
  await platform.api.savePartner(wallet, partnerId)
  silent.server.close()
  await wallet.seen('rollback', 1)
  expect(wallet.of('rollback', betId)[0]?.body.errorCode).toBe(10)
})

async function silentServer(): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { server, url: `https://127.0.0.1:${address.port}` }
}
