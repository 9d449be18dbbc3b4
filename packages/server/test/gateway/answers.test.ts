/**
 * The gateway forwards an operator's answer unchanged except for the player's ids. It never
 * forwards the operator's token.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asking } from '../people/audited-calls.ts'
import type { Script, ScriptedWallet } from '../support/scripted-wallet.ts'
import { placeMessage, rollbackMessage, settleMessage } from '../support/wire.ts'
import { type GatewayPlayer, type GatewayScene, newGatewayScene, newPlayer } from './scene.ts'

let scene: GatewayScene
let ann: GatewayPlayer
let wallet: ScriptedWallet
beforeAll(async () => {
  scene = await newGatewayScene(1)
  ann = await newPlayer(scene)
  wallet = ann.operator.wallet
})
afterAll(async () => {
  wallet.faults.length = 0 // the scripted wallet does not know Balance and Check
  await scene.stop()
})

const place = (over = {}) =>
  scene.gateway.wire.call('POST', '/payment/bet', placeMessage({ userId: ann.userId, token: ann.token, ...over }))
const settle = () => scene.gateway.wire.call('PUT', '/payment/bet', settleMessage({ userId: ann.userId }))

const ANSWERS: [number, string][] = [
  [200, '{"transactionId" : "transaction-1","transactionTime":"2031-05-16T12:00:00.000Z", "x":1.0}'],
  [200, '{"transactionId":'],
  [200, ''],
  [201, '{}'],
  [400, '{"code":7,"message":"Not enough money"}'],
  [400, '{"code": 20.0,"message":"Recalculation transaction is blocked é"}'],
  [400, 'no JSON'],
  [404, '<html>'],
  [429, ''],
  [500, '{"code":100,"message":"System error"}'],
  [503, 'down'],
]
test.each(ANSWERS)('the gateway forwards an answer of %i %j unchanged', async (status, body) => {
  wallet.next('place', { status, body })
  expect(await place()).toMatchObject({ status, text: body })
  wallet.next('settle', { status, body })
  expect(await settle()).toMatchObject({ status, text: body })
})

const OF_THE_GATEWAY: [number, string][] = [
  [400, '{"code":1,"message":"Bad signature"}'],
  [401, '{"code":3}'],
  [403, ''],
  [302, ''],
  [307, ''],
]
test.each(OF_THE_GATEWAY)(
  'an answer of %i %j rejects the gateway, so the platform receives a failure instead (D-7)',
  async (status, body) => {
    const isFailed = { status: 500, body: { code: 100, message: 'System error' } }
    for (const operation of ['place', 'settle', 'profile'] as const) wallet.next(operation, { status, body })
    wallet.next('rollback', { status, body }, { status, body })
    wallet.next('other', { status, body })
    expect(await place()).toMatchObject({ ...isFailed, status: 400 })
    expect(await settle()).toMatchObject(isFailed)
    const rollback = rollbackMessage({ userId: ann.userId })
    for (let i = 0; i < 2; i++)
      expect(await scene.gateway.wire.call('PUT', '/payment/bet', rollback)).toMatchObject(isFailed)
    expect(await scene.gateway.wire.profile(ann.token)).toMatchObject(isFailed)
    expect(await scene.gateway.wire.balance({ userId: ann.userId, token: ann.token })).toMatchObject(isFailed)
  },
)

test('a rejection of the gateway is counted separately, and shown with its operator (D-7)', async () => {
  const { url, key } = scene.gateway
  const { operatorId } = ann.operator
  const before = Date.now()
  wallet.next('place', { status: 400, body: { code: 1, message: 'Bad signature' } })
  await place()
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toMatch(new RegExp(`gateway_calls_total{operator="${operatorId}",outcome="gateway_refused"} [1-9]`))
  const { body } = await asking(url, key, '/operators/actions').send('GET', '/operators')
  const [shown] = (body as { data: { operatorId: string; lastRefusal?: { at: string; error: string } }[] }).data
  expect(shown).toMatchObject({ operatorId, lastRefusal: { error: expect.stringContaining('secret') } })
  expect(Date.parse(shown?.lastRefusal?.at ?? '')).toBeGreaterThanOrEqual(before)
})

test('a rejection of the gateway during a token exchange is not reported as an invalid token (D-7)', async () => {
  wallet.next('profile', { status: 400, body: { code: 1, message: 'Bad signature' } })
  await expect(newPlayer(scene)).rejects.toThrow(/502/)
})

test('a status that HTTP does not define is not forwarded, and counts once as a failure of the operator', async () => {
  wallet.next('place', { status: 600 })
  expect(await place()).toMatchObject({ status: 400, body: { code: 100 } })
  wallet.next('settle', { status: 999 })
  expect(await settle()).toMatchObject({ status: 500, body: { code: 100 } })
  const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text()
  expect(metrics).toContain(`gateway_calls_total{operator="${ann.operator.operatorId}",outcome="status"} 2\n`)
  expect(metrics).not.toContain('outcome="failed"')
})

describe('the profile', () => {
  const profile = async (body: string): Promise<string> => {
    wallet.next('profile', { body })
    return (await scene.gateway.wire.profile(ann.token)).text
  }

  test('contains the gateway’s userId and operatorUser twice, and is otherwise unchanged (P-5)', async () => {
    const [mine, theirs] = [ann.userId, ann.operatorUser]
    const text = (userId: string, member: string, custom: string) =>
      ` {${member}"userId" : "${userId}","currency":"EUR", "customFields":{${custom} "percentMargin" :1.50}, "x":[1e2]} `
    expect(await profile(text(theirs, '', ''))).toBe(
      text(mine, `"operatorUser":"${theirs}",`, `"operatorUser":"${theirs}",`),
    )
    const other = (user: string) => `"operatorUser":"${user}",`
    expect(await profile(text(theirs, other('someone'), other('someone')))).toBe(
      text(mine, other(theirs), other(theirs)),
    )
  })

  test('gets customFields if it has none', async () => {
    const reply = JSON.parse(await profile(JSON.stringify({ userId: ann.operatorUser, currency: 'EUR' })))
    const { userId, operatorUser } = ann
    expect(reply).toEqual({ userId, operatorUser, currency: 'EUR', customFields: { operatorUser } })
  })

  test('is parsed after a byte order mark (C-11)', async () => {
    const body = JSON.stringify({ userId: ann.operatorUser, currency: 'EUR', currencies: ['EUR'] })
    expect(JSON.parse(await profile(`\u{FEFF}${body}`))).toMatchObject({
      userId: ann.userId,
      operatorUser: ann.operatorUser,
    })
  })

  test('is forwarded unchanged if it is no profile', async () => {
    for (const text of ['{"userId":', '[]', '{}', '"x"', '{"userId":7}', '']) expect(await profile(text)).toBe(text)
  })

  test('is not forwarded if it belongs to another player, and the gateway reports a failure', async () => {
    wallet.next('profile', { body: { userId: 'somebody-else', currency: 'EUR' } })
    const { status, text } = await scene.gateway.wire.profile(ann.token)
    expect({ status, ...JSON.parse(text) }).toEqual({ status: 500, code: 100, message: 'System error' })
  })

  test('is forwarded unchanged if it is a rejection that contains a userId', async () => {
    const body = `{"code":4,"message":"out of date","userId":"${ann.operatorUser}"}`
    wallet.next('profile', { status: 400, body })
    expect(await scene.gateway.wire.profile(ann.token)).toMatchObject({ status: 400, text: body })
  })
})

describe('the operator returns', () => {
  const scriptOther = (body: string) => wallet.next('other', { body })

  test('the balance under its own id or the gateway’s id, and the platform reads the gateway’s id', async () => {
    for (const userId of [ann.operatorUser, ann.userId]) {
      scriptOther(`{"userId":"${userId}","currency":"EUR","amount":100.10}`)
      const { text } = await scene.gateway.wire.balance({ userId: ann.userId, token: ann.token })
      expect(text).toBe(`{"userId":"${ann.userId}","currency":"EUR","amount":100.10}`)
    }
  })

  test('the balance of another player, which the gateway does not forward', async () => {
    scriptOther('{"userId":"somebody-else","currency":"EUR","amount":100.10}')
    const { status, body } = await scene.gateway.wire.balance({ userId: ann.userId, token: ann.token })
    expect({ status, body }).toEqual({ status: 500, body: { code: 100, message: 'System error' } })
  })

  test('a bet in the answer to Check, which is forwarded unchanged', async () => {
    const text = '{"transactionId":"transaction-1","currency":"EUR","amount":10.0,"type":1}'
    scriptOther(text)
    expect((await scene.gateway.wire.check({ userId: ann.userId, transactionId: randomUUID() })).text).toBe(text)
  })
})

test('an answer that repeats the request shows the platform its own token, never the operator’s', async () => {
  const echo: Script = {
    status: 400,
    body: ({ body }) => ({ code: 5, message: `bad token ${body.token}`, request: body }),
  }
  wallet.next('place', echo)
  const { text } = await place()
  expect(text).not.toContain(ann.operatorToken)
  expect(JSON.parse(text)).toMatchObject({ message: `bad token ${ann.token}`, request: { token: ann.token } })
})

test('the operator’s token is replaced when the wallet escapes slashes as PHP does', async () => {
  wallet.next('profile', { body: { userId: ann.operatorUser, currency: 'EUR' } })
  const slashed = await newPlayer(scene, 0, 'a/token/with/slashes')
  wallet.next('place', { status: 400, body: '{"code":5,"message":"\\u00e9 a\\/token\\/with\\/slashes é"}' })
  const { text } = await place({ token: slashed.token })
  expect(text).toBe(`{"code":5,"message":"\\u00e9 ${slashed.token} é"}`)
})

test('a token that equals the player id is not replaced in operatorUser', async () => {
  const own = { userId: 'player-000001', currency: 'EUR' }
  wallet.next('profile', { body: own }, { body: own })
  const { token, userId, operatorUser } = await newPlayer(scene, 0, own.userId)
  expect((await scene.gateway.wire.profile(token)).body).toEqual({
    ...{ userId, operatorUser, currency: 'EUR', customFields: { operatorUser } },
  })
})
