/**
 * A slow database or a slow body delays a call before the gateway routes it. The platform still
 * gets an answer before its time-out (W-20). A call that the gateway could not send within 4 s is
 * never sent (G-6).
 */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Finishing, lateMs, newNetwork } from '../support/fault-scene.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { placeMessage, readReply, rollbackMessage, sign, type WireReply } from '../support/wire.ts'
import { type GatewayPlayer, type GatewayScene, newGatewayScene, newPlayer } from './scene.ts'

let scene: GatewayScene
let player: GatewayPlayer
let requestsBefore: number
beforeAll(async () => {
  scene = await newGatewayScene(1)
  player = await newPlayer(scene)
})
beforeEach(() => {
  requestsBefore = player.operator.wallet.requests.length
})
afterAll(() => scene.stop())

const names = () => ({ userId: player.userId, token: player.token })
const systemError = (status: number) => ({ status, body: { code: 100, message: 'System error' } })

function receivedOperations(): unknown[] {
  return player.operator.wallet.requests.slice(requestsBefore).map(({ operation }) => operation)
}

/**
 * A new process with open connections and an empty cache. From now on, each answer of its database
 * is this late.
 */
async function newSlowGateway(context: Finishing, milliseconds: number): Promise<TestGateway> {
  const network = await newNetwork(context, scene.gateway.databaseUrl)
  const gateway = await startGateway({ databaseUrl: network.url })
  context.onTestFinished(() => gateway.stop())
  await Promise.all(CALLS.map(([, send]) => send(gateway, { userId: 'nobody', token: 'of-nobody-at-all' })))
  network.delay(milliseconds)
  return gateway
}

/** Each call needs three reads (player, session, operator), and fails as in an outage. */
const CALLS: [number, (gateway: TestGateway, names: object) => Promise<WireReply>][] = [
  [400, ({ wire }, names) => wire.place(placeMessage({ ...names }))],
  [500, ({ wire }, names) => wire.rollback(rollbackMessage({ ...names }))],
  [500, ({ wire }, names) => wire.balance({ ...names })],
]

/** Three reads take a little over 4 s, over 5 s, and much longer. */
const READ_MS = [1_480, 1_900, 3_800]
/** The time after the answers until the second gateway would have sent its calls. */
const ALL_READ_MS = 2_500

test('calls whose database reads are all late are neither answered late nor sent afterwards', async (context) => {
  const gateways = await Promise.all(READ_MS.map((milliseconds) => newSlowGateway(context, milliseconds)))
  const startedAt = performance.now()
  const answers = gateways.flatMap((gateway) =>
    CALLS.map(async ([status, send]) => {
      expect(await send(gateway, names())).toMatchObject(systemError(status))
      expect(performance.now() - startedAt).toBeLessThan(5_000 + lateMs())
    }),
  )
  await Promise.all(answers)
  await sleep(ALL_READ_MS)
  expect(receivedOperations()).toEqual([])
})

test('a body that takes more than 4 s to arrive is not forwarded, even to a free operator', async () => {
  const { url, secret, wire } = scene.gateway
  expect((await wire.place(placeMessage(names()))).status).toBe(200)
  const body = JSON.stringify(placeMessage(names()))
  async function* slowly() {
    yield body.slice(0, 10)
    await sleep(4_200)
    yield body.slice(10)
  }
  const headers = { 'content-type': 'application/json', 'x-sign-jws': sign(body, secret) }
  const reply = await request(`${url}/payment/bet`, { method: 'POST', headers, body: Readable.from(slowly()) })
  expect(readReply(reply.statusCode, await reply.body.text())).toMatchObject(systemError(400))
  expect(receivedOperations()).toEqual(['place'])
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const seconds = /^gateway_call_duration_seconds_sum\{operator=".+"\} (\S+)$/m.exec(metrics)?.[1]
  expect(Number(seconds)).toBeGreaterThan(4) // counted from its first byte
})
