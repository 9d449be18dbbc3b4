/**
 * The secret of an operator can change during operation without rejected calls (C-13), as the
 * secret of a platform's partner can.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asking } from '../people/audited-calls.ts'
import { refusal } from '../support/scripted-wallet.ts'
import { type GatewayPlayer, type GatewayScene, newGatewayScene, newPlayer } from './scene.ts'

const NEW = 'the-new-secret-of-the-operator'

let scene: GatewayScene
let player: GatewayPlayer
let old: string
beforeEach(async () => {
  scene = await newGatewayScene(1)
  player = await newPlayer(scene)
  old = player.operator.wallet.secret
})
afterEach(() => scene.stop())

const change = (over: object, operatorId = player.operator.operatorId) => {
  const { url, key } = scene.gateway
  return asking(url, key, '/operators/actions').send('PUT', `/operators/${operatorId}`, {
    baseUrl: player.operator.wallet.url,
    ...over,
  })
}

test('each secret of a change is tried, and each result is shown', async () => {
  player.operator.wallet.accepts = [old]
  player.operator.wallet.always('profile', refusal(3, 'Invalid token'))
  expect(await change({ secrets: [NEW, old] })).toMatchObject({
    status: 200,
    body: { tried: { signature: 'refused', code: 1 }, otherProbes: [{ signature: 'accepted', code: 3 }] },
  })
  expect(await change({})).toMatchObject({ status: 200, body: { tried: { signature: 'refused' } } })
  expect((await change({}, 'nobody')).status).toBe(404)
  expect((await change({ baseUrl: 'http://user@127.0.0.1' })).status).toBe(400)
})

test('a new operator is tried as well, and a change that drops every earlier secret causes a warning', async () => {
  const { wallet } = player.operator
  wallet.accepts = [NEW]
  wallet.always('profile', refusal(3, 'Invalid token'))
  const { url, key } = scene.gateway
  const add = (over: object) =>
    asking(url, key, '/operators/actions').send('POST', '/operators', {
      operatorId: 'new',
      baseUrl: wallet.url,
      ...over,
    })
  const first = await add({ secrets: [old, NEW] })
  expect(first).toMatchObject({
    status: 201,
    body: { operatorId: 'new', tried: { signature: 'refused', code: 1 }, otherProbes: [{ signature: 'accepted' }] },
  })
  expect(first.body).not.toHaveProperty('warning')
  const dead = await add({ secret: 'a-third-one', baseUrl: 'http://127.0.0.1:1' })
  expect(dead).toMatchObject({ status: 201, body: { tried: { signature: 'unknown' }, warning: expect.any(String) } })
  expect(await change({ secret: 'a-third-one' })).toMatchObject({ body: { warning: expect.any(String) } })
})

test('calls reach the operator with the secret that it knows, before and after a change', async () => {
  const { wallet } = player.operator
  wallet.accepts = [old]
  await change({ secrets: [NEW, old] })
  for (const accepts of [old, NEW]) {
    wallet.accepts = [accepts]
    const reply = await scene.gateway.wire.profile(player.token)
    expect(reply.status).toBe(200)
  }
  expect(wallet.turnedAway.length).toBeGreaterThan(0)
})

test('an operator that knows no secret rejects the gateway, and not the player (D-7)', async () => {
  player.operator.wallet.accepts = ['a-third-secret']
  await change({ secrets: [NEW, old] })
  const reply = await scene.gateway.wire.profile(player.token)
  expect(reply).toMatchObject({ status: 500, body: { code: 100 } })
})
