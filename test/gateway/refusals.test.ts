/** What the gateway answers itself, as a wallet would: bad signatures, bodies that it cannot read, players that it does not know. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { placeMessage, rollbackMessage, settleMessage, sign, unsettleMessage } from '../support/wire.ts'
import { expectDone, expectRefused } from '../wallet/answers.ts'
import { sendSigned } from '../wallet/raw-http.ts'
import { type GatewayPlayer, type GatewayScene, newGatewayScene, newPlayer } from './scene.ts'

let scene: GatewayScene
let ann: GatewayPlayer
beforeAll(async () => {
  scene = await newGatewayScene(1)
  ann = await newPlayer(scene)
})
afterAll(async () => {
  expect(ann.operator.wallet.requests.map(({ operation }) => operation)).toEqual(['profile']) // the exchange's
  await scene.stop()
})

const raw = (method: string, path: string, body: string, options = {}) =>
  scene.gateway.wire.call(method, path, body, options)
const place = (over: object = {}) => JSON.stringify(placeMessage({ userId: ann.userId, token: ann.token, ...over }))

const ROUTES: [string, string][] = [
  ['POST', '/payment/bet'],
  ['PUT', '/payment/bet'],
  ['POST', '/user/profile'],
  ['POST', '/user/balance'],
  ['POST', '/payment/check'],
]

test.each(ROUTES)('%s %s: a bad signature is code 1 before all else, even of no JSON', async (method, path) => {
  const forgeries = [
    { signature: null },
    { secret: 'another' },
    { signature: sign('other bytes', scene.gateway.secret) },
  ]
  for (const body of [place(), 'no JSON', '']) {
    for (const forgery of forgeries) expectRefused(await raw(method, path, body, forgery), 1)
  }
})

test.each(ROUTES)('%s %s: what is no JSON object is code 5', async (method, path) => {
  for (const body of ['', '{', '[]', 'null', '"x"', '{"a":1,}', '\ufeff\ufeff{}'])
    expectRefused(await raw(method, path, body), 5)
})

test('bytes that are no UTF-8 are code 5, and a body over 256 KiB is', async () => {
  expectRefused(await raw('POST', '/payment/bet', place({ info: 'x'.repeat(256 * 1024) })), 5)
  const body = Buffer.from(place({ info: '\u00ff' }), 'latin1')
  expectRefused(await sendSigned(scene.gateway.url, scene.gateway.secret, { body }), 5)
})

test.each(['type', 'token', 'userId', 'operatorUser', 'transactionId'])(
  'a %s that stands twice is code 5',
  async (name) => {
    const one = place({ operatorUser: 'x' })
    expectRefused(await raw('POST', '/payment/bet', `{"${name}":"somebody-else",${one.slice(1)}`), 5)
  },
)

test('a method with a type that the interface does not have is code 5', async () => {
  for (const type of [2, 3, 0, '1', null]) expectRefused(await raw('POST', '/payment/bet', place({ type })), 5)
  for (const type of [0, 4, '2', null]) expectRefused(await raw('PUT', '/payment/bet', place({ type })), 5)
})

test('a bet call is none of the others: a body with a type is code 5 there (S-5)', async () => {
  const calls = [
    ['/user/profile', { requestId: randomUUID() }],
    ['/user/balance', { requestId: randomUUID(), currency: 'EUR' }],
    ['/payment/check', { transactionId: randomUUID() }],
  ] as const
  for (const [path, body] of calls) {
    const call = { ...body, token: ann.token, userId: ann.userId }
    for (const type of [1, null]) expectRefused(await raw('POST', path, JSON.stringify({ ...call, type })), 5)
    expectRefused(await raw('POST', path, place()), 5)
  }
})

test('a route that a wallet does not have is a 404 (R-1)', async () => {
  for (const [method, path] of [
    ['GET', '/payment/bet'],
    ['DELETE', '/payment/bet'],
    ['PUT', '/user/profile'],
    ['POST', '/'],
  ] as const)
    expect((await fetch(scene.gateway.url + path, { method })).status).toBe(404)
})

test('an operatorUser that breaks its pattern is code 5 (P-5)', async () => {
  for (const operatorUser of ['', 'a b', 'é', 'a\n', 'x'.repeat(65), 7, null, {}])
    expectRefused(await raw('POST', '/payment/bet', place({ operatorUser })), 5)
})

test('a userId that is none is code 5', async () => {
  for (const userId of [undefined, null, 7, {}]) expectRefused(await raw('POST', '/payment/bet', place({ userId })), 5)
})

describe('a player that the gateway does not know', () => {
  const names = { userId: 'nobody-that-the-gateway-knows', transactionId: randomUUID() }
  const strange = [names.userId, 'x'.repeat(65), '', 'a\u0000b', '\ud800']

  test('has no session: Place bet and Balance are code 3, whoever the token is of', async () => {
    for (const token of [ann.token, 'a-token-that-nobody-gave-out']) {
      expectRefused(await raw('POST', '/payment/bet', place({ ...names, token })), 3)
      expectRefused(await scene.gateway.wire.balance({ userId: names.userId, token }), 3)
    }
  })

  test('has no bet: Settle, Unsettle and Check are code 5', async () => {
    for (const message of [settleMessage(names), settleMessage({ ...names, token: ann.token, resultType: 'cashout' })])
      expectRefused(await raw('PUT', '/payment/bet', JSON.stringify(message)), 5)
    expectRefused(await raw('PUT', '/payment/bet', JSON.stringify(unsettleMessage(names))), 5)
    expectRefused(await scene.gateway.wire.check(names), 5)
  })

  test('has nothing to be returned: a Rollback is done, as often as it comes (W-11)', async () => {
    for (let i = 0; i < 2; i++) {
      const reply = await raw('PUT', '/payment/bet', JSON.stringify(rollbackMessage(names)))
      expectDone(reply, names.transactionId)
    }
  })

  test('but whose id the gateway must have made: its database is not the right one, and nothing is said about bets', async () => {
    const forgotten = { ...names, userId: randomUUID() }
    const failed = { status: 500, body: { code: 100, message: 'System error' } }
    for (const message of [settleMessage(forgotten), unsettleMessage(forgotten), rollbackMessage(forgotten)])
      expect(await raw('PUT', '/payment/bet', JSON.stringify(message))).toMatchObject(failed)
    expect(await scene.gateway.wire.check(forgotten)).toMatchObject(failed)
    expectRefused(await raw('POST', '/payment/bet', place(forgotten)), 100)
    const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text()
    expect(metrics).toContain('gateway_calls_total{operator="none",outcome="lost_player"} 5\n')
  })

  test('the shape of the call comes first (R-6)', async () => {
    for (const broken of [{ amount: -1 }, { currency: 7 }, { transactionId: 'short' }])
      expectRefused(await raw('POST', '/payment/bet', place({ ...names, ...broken })), 5)
    const { errorCode: _, ...rollback } = rollbackMessage(names)
    expectRefused(await raw('PUT', '/payment/bet', JSON.stringify(rollback)), 5)
    expectRefused(await scene.gateway.wire.profile('short'), 5)
  })

  test('may have any name', async () => {
    for (const userId of strange) {
      const reply = await raw('POST', '/payment/bet', place({ ...names, userId }))
      expect(reply.status, userId).toBe(400)
      expect([3, 5]).toContain((reply.body as { code: number }).code)
    }
  })
})
