/**
 * The gateway forwards a call to the player's operator, with the operator's ids and signature. The
 * rest of the call is unchanged.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ReceivedCall } from '../support/scripted-wallet.ts'
import { type Members, placeMessage, rollbackMessage, settleMessage, unsettleMessage } from '../support/wire.ts'
import { type GatewayPlayer, type GatewayScene, newGatewayScene, newPlayer } from './scene.ts'

let scene: GatewayScene
let ann: GatewayPlayer
let ben: GatewayPlayer
beforeAll(async () => {
  scene = await newGatewayScene()
  ann = await newPlayer(scene, 0)
  ben = await newPlayer(scene, 1)
})
afterAll(async () => {
  // some bodies are chosen for their bytes
  for (const { wallet } of scene.operators) wallet.faults.length = 0
  await scene.stop()
})
beforeEach(() => {
  for (const { wallet } of scene.operators) wallet.faults.length = 0
})

const send = (method: string, path: string, body: object | string) => scene.gateway.wire.call(method, path, body)
const bet = (over: Members = {}) => placeMessage({ userId: ann.userId, token: ann.token, ...over })

function lastOf({ operator }: GatewayPlayer): ReceivedCall {
  const last = operator.wallet.requests.at(-1)
  if (last === undefined) throw new Error('the operator has heard of nothing')
  return last
}

const MESSAGES: [string, 'POST' | 'PUT', string, () => Members][] = [
  ['a Place bet', 'POST', '/payment/bet', bet],
  ['a Settle', 'PUT', '/payment/bet', () => settleMessage({ userId: ann.userId })],
  ['a cashout', 'PUT', '/payment/bet', () => settleMessage({ ...namesOfAnn(), resultType: 'cashout' })],
  ['an Unsettle', 'PUT', '/payment/bet', () => unsettleMessage({ userId: ann.userId })],
  ['a Rollback', 'PUT', '/payment/bet', () => rollbackMessage(namesOfAnn())],
  ['a Balance', 'POST', '/user/balance', () => ({ ...namesOfAnn(), currency: 'EUR', requestId: randomUUID() })],
  ['a Check', 'POST', '/payment/check', () => ({ userId: ann.userId, transactionId: randomUUID() })],
]
const namesOf = ({ userId, token }: GatewayPlayer) => ({ userId, token })
const namesOfAnn = () => namesOf(ann)

test.each(MESSAGES)(
  '%s reaches the player’s operator with the operator’s ids',
  async (_name, method, path, message) => {
    const sent = message()
    await send(method, path, sent)
    const received = lastOf(ann)
    expect(received).toMatchObject({ method, path })
    const token = sent.token === undefined ? {} : { token: ann.operatorToken }
    expect(received.body).toEqual({ ...JSON.parse(JSON.stringify(sent)), ...token, operatorUser: ann.operatorUser })
  },
)

test('every forwarded call is signed with the operator’s secret and follows the interface', async () => {
  for (const player of [ann, ben]) {
    const place = placeMessage(namesOf(player))
    expect(await send('POST', '/payment/bet', place)).toMatchObject({ status: 200 })
    expect(lastOf(player).body).toMatchObject({ userId: player.userId, token: player.operatorToken })
    expect(
      await send('PUT', '/payment/bet', rollbackMessage({ ...namesOf(player), transactionId: place.transactionId })),
    ).toMatchObject({ status: 200 })
    expect(player.operator.wallet.faults).toEqual([])
  }
})

test('User data goes to the operator of the token, without the name of a player', async () => {
  for (const player of [ann, ben]) {
    await scene.gateway.wire.profile(player.token)
    const { body } = lastOf(player)
    expect(Object.keys(body)).toEqual(['token', 'requestId'])
    expect(body.token).toBe(player.operatorToken)
  }
  await scene.gateway.wire.profile(ann.token, { operatorUser: 'somebody' })
  expect(lastOf(ann).body).toMatchObject({ operatorUser: ann.operatorUser })
})

describe('the gateway forwards a call byte by byte:', () => {
  const spelling = (token: string, operatorUser: string) =>
    ` {"amount" : 10.0,"operatorUser":${operatorUser}, "coefficient":1.850e+0,\n"user\\u0049d":"${ann.userId}" ,"type":1,` +
    `"metadata":[{"token":"kept","userId":"kept","operatorUser":"kept, too: \\" }","x":1e2}],"info":"\\u00e9 é 😀 \\/",` +
    `"token"\t:${token},"requestId":"request-0001","transactionId":"transaction-1","currency":"EUR","big":12345678901234567890.10}\n`

  test('only the token and operatorUser change', async () => {
    await send('POST', '/payment/bet', spelling(`"${ann.token}"`, '"any.one"'))
    expect(lastOf(ann).text).toBe(spelling(`"${ann.operatorToken}"`, `"${ann.operatorUser}"`))
  })

  test('a byte order mark before the body is kept (D-2)', async () => {
    await send('POST', '/payment/bet', `\ufeff${spelling(`"${ann.token}"`, '"any.one"')}`)
    expect(lastOf(ann).text).toBe(`\ufeff${spelling(`"${ann.operatorToken}"`, `"${ann.operatorUser}"`)}`)
  })

  test('the operator receives the path of the interface when the platform repeats a slash (D-4)', async () => {
    expect(await send('POST', '//payment//bet', bet({ info: 'twice' }))).toMatchObject({ status: 200 })
    expect(lastOf(ann)).toMatchObject({ path: '/payment/bet', body: { info: 'twice' } })
  })

  test('descriptive members reach the operator with any type of value (W-3)', async () => {
    const odd = { coefficient: 0, boosterCoefficient: 'x', metadata: { event: null }, ip: [], subPartnerId: 7 }
    expect(await send('POST', '/payment/bet', bet(odd))).toMatchObject({ status: 200 })
    expect(lastOf(ann).body).toMatchObject(odd)
  })

  test('a token with escapes is the same token', async () => {
    const escaped = `\\u00${ann.token.charCodeAt(0).toString(16)}${ann.token.slice(1)}`
    await send('POST', '/payment/bet', spelling(`"${escaped}"`, '"any.one"'))
    expect(lastOf(ann).text).toBe(spelling(`"${ann.operatorToken}"`, `"${ann.operatorUser}"`))
  })

  test('an invalid token is forwarded, and the operator rejects it', async () => {
    for (const token of ['null', '17', '"short"', `"${'x'.repeat(65)}"`]) {
      await send('POST', '/payment/bet', spelling(token, '"any.one"'))
      expect(lastOf(ann).text).toBe(spelling(token, `"${ann.operatorUser}"`))
    }
  })
})

describe('a token of another player', () => {
  const otherTokens = () => [ben.token, ann.operatorToken, ben.operatorToken, 'a-token-that-nobody-gave-out']

  test('is replaced by a constant token that was never issued', async () => {
    for (const token of otherTokens()) {
      const seen: unknown[] = []
      for (let i = 0; i < 2; i++) {
        await send('POST', '/payment/bet', bet({ token }))
        seen.push(lastOf(ann).body.token)
      }
      expect(seen[0]).toBe(seen[1])
      expect([...otherTokens(), ann.token]).not.toContain(seen[0])
      expect(String(seen[0])).toMatch(/^[\w-]{43}$/)
    }
  })

  test('is rejected with code 3 in User data, without a call to an operator', async () => {
    const before = scene.operators.map(({ wallet }) => wallet.requests.length)
    for (const token of [ann.operatorToken, 'a-token-that-nobody-gave-out'])
      expect(await scene.gateway.wire.profile(token)).toMatchObject({ status: 400, body: { code: 3 } })
    expect(scene.operators.map(({ wallet }) => wallet.requests.length)).toEqual(before)
  })
})

test('an earlier session of a player still reaches the operator, which decides about it', async () => {
  ann.operator.wallet.next('profile', { body: { userId: ann.operatorUser, currency: 'EUR' } })
  const next = await newPlayer(scene, 0)
  expect(next.userId).toBe(ann.userId)
  for (const player of [ann, next, ann]) {
    await send('POST', '/payment/bet', bet({ token: player.token }))
    expect(lastOf(ann).body.token).toBe(player.operatorToken)
  }
})
