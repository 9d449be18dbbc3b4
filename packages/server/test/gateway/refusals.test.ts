/**
 * The gateway itself rejects bad signatures, unreadable bodies and unknown players, with the same
 * answers as a wallet.
 */
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
  // only the exchange reached the operator
  expect(ann.operator.wallet.requests.map(({ operation }) => operation)).toEqual(['profile'])
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

test.each(ROUTES)(
  '%s %s with a bad signature is rejected with code 1 before any other check, also without JSON',
  async (method, path) => {
    const forgeries = [
      { signature: null },
      { secret: 'another' },
      { signature: sign('other bytes', scene.gateway.secret) },
    ]
    for (const body of [place(), 'no JSON', '']) {
      for (const forgery of forgeries) expectRefused(await raw(method, path, body, forgery), 1)
    }
  },
)

test.each(ROUTES)('%s %s without a JSON object is rejected with code 5', async (method, path) => {
  for (const body of ['', '{', '[]', 'null', '"x"', '{"a":1,}', '\ufeff\ufeff{}'])
    expectRefused(await raw(method, path, body), 5)
})

test('a body that is no UTF-8 or exceeds 256 KiB is rejected with code 5', async () => {
  expectRefused(await raw('POST', '/payment/bet', place({ info: 'x'.repeat(256 * 1024) })), 5)
  const body = Buffer.from(place({ info: '\u00ff' }), 'latin1')
  expectRefused(await sendSigned(scene.gateway.url, scene.gateway.secret, { body }), 5)
})

test.each(['type', 'token', 'userId', 'operatorUser', 'transactionId'])(
  'a repeated member %s is rejected with code 5',
  async (name) => {
    const one = place({ operatorUser: 'x' })
    expectRefused(await raw('POST', '/payment/bet', `{"${name}":"somebody-else",${one.slice(1)}`), 5)
  },
)

test('a method with a type that the interface does not define is rejected with code 5', async () => {
  for (const type of [2, 3, 0, '1', null]) expectRefused(await raw('POST', '/payment/bet', place({ type })), 5)
  for (const type of [0, 4, '2', null]) expectRefused(await raw('PUT', '/payment/bet', place({ type })), 5)
})

test('a body with a type is rejected with code 5 on routes other than the bet calls (S-5)', async () => {
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

test('a route that a wallet does not have is not found: 404 (R-1)', async () => {
  for (const [method, path] of [
    ['GET', '/payment/bet'],
    ['DELETE', '/payment/bet'],
    ['PUT', '/user/profile'],
    ['POST', '/'],
  ] as const)
    expect((await fetch(scene.gateway.url + path, { method })).status).toBe(404)
})

test('an operatorUser that does not match its pattern is rejected with code 5 (P-5)', async () => {
  for (const operatorUser of ['', 'a b', 'é', 'a\n', 'x'.repeat(65), 7, null, {}])
    expectRefused(await raw('POST', '/payment/bet', place({ operatorUser })), 5)
})

test('an invalid userId is rejected with code 5', async () => {
  for (const userId of [undefined, null, 7, {}]) expectRefused(await raw('POST', '/payment/bet', place({ userId })), 5)
})

describe('a player that the gateway does not know', () => {
  const names = { userId: 'nobody-that-the-gateway-knows', transactionId: randomUUID() }
  const strange = [names.userId, 'x'.repeat(65), '', 'a\u0000b', '\ud800']

  test('has no session: Place bet and Balance are rejected with code 3, with anyone’s token', async () => {
    for (const token of [ann.token, 'a-token-that-nobody-gave-out']) {
      expectRefused(await raw('POST', '/payment/bet', place({ ...names, token })), 3)
      expectRefused(await scene.gateway.wire.balance({ userId: names.userId, token }), 3)
    }
  })

  test('has no bet: Settle, Unsettle and Check are rejected with code 5', async () => {
    for (const message of [settleMessage(names), settleMessage({ ...names, token: ann.token, resultType: 'cashout' })])
      expectRefused(await raw('PUT', '/payment/bet', JSON.stringify(message)), 5)
    expectRefused(await raw('PUT', '/payment/bet', JSON.stringify(unsettleMessage(names))), 5)
    expectRefused(await scene.gateway.wire.check(names), 5)
  })

  test('has nothing to refund: a Rollback is accepted, with any number of repeats (W-11)', async () => {
    for (let i = 0; i < 2; i++) {
      const reply = await raw('PUT', '/payment/bet', JSON.stringify(rollbackMessage(names)))
      expectDone(reply, names.transactionId)
    }
  })

  test('causes a failure when the gateway must have issued the id, because its database is the wrong one', async () => {
    const forgotten = { ...names, userId: randomUUID() }
    const failed = { status: 500, body: { code: 100, message: 'System error' } }
    for (const message of [settleMessage(forgotten), unsettleMessage(forgotten), rollbackMessage(forgotten)])
      expect(await raw('PUT', '/payment/bet', JSON.stringify(message))).toMatchObject(failed)
    expect(await scene.gateway.wire.check(forgotten)).toMatchObject(failed)
    expectRefused(await raw('POST', '/payment/bet', place(forgotten)), 100)
    const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text()
    expect(metrics).toContain('gateway_calls_total{operator="none",outcome="lost_player"} 5\n')
  })

  test('is checked after the shape of the call (R-6)', async () => {
    for (const broken of [{ amount: -1 }, { currency: 7 }, { transactionId: 'short' }])
      expectRefused(await raw('POST', '/payment/bet', place({ ...names, ...broken })), 5)
    const { errorCode: _, ...rollback } = rollbackMessage(names)
    expectRefused(await raw('PUT', '/payment/bet', JSON.stringify(rollback)), 5)
    expectRefused(await scene.gateway.wire.profile('short'), 5)
  })

  test('can have any valid name', async () => {
    for (const userId of strange) {
      const reply = await raw('POST', '/payment/bet', place({ ...names, userId }))
      expect(reply.status, userId).toBe(400)
      expect([3, 5]).toContain((reply.body as { code: number }).code)
    }
  })
})
