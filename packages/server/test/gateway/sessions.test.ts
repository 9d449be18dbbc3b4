/**
 * The gateway's own API registers operators and exchanges their session tokens for gateway tokens.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { newToken } from '../support/platform.ts'
import { refusal, status } from '../support/scripted-wallet.ts'
import { type GatewayScene, newGatewayScene, newPlayer, type ScriptedOperator } from './scene.ts'

let scene: GatewayScene
let first: ScriptedOperator
beforeAll(async () => {
  scene = await newGatewayScene()
  first = scene.operators[0] as ScriptedOperator
})
afterAll(() => scene.stop())

const exchange = (token: string, operatorId = first.operatorId) =>
  scene.gateway.api.request('POST', `/operators/${operatorId}/sessions`, { token })

test('an operator’s token is exchanged for one of 43 characters, with the player and currency of the operator', async () => {
  first.wallet.next('profile', { body: { userId: 'Ann.7', currency: 'USD' } })
  const reply = await exchange('the-token-of-ann')
  expect(reply).toMatchObject({ status: 201, body: { operatorUser: 'Ann.7', currency: 'USD' } })
  const { token, userId } = reply.body as Record<string, string>
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(userId).toMatch(/^[\w-]{1,64}$/)
  expect(first.wallet.of('profile').at(-1)?.body).toMatchObject({ token: 'the-token-of-ann' })
})

test.each(['\ufeff', '\u00a0', '\u00e9', 'e\u0301', '😀'])(
  'a token with %j at both ends is returned to its operator unchanged',
  async (odd) => {
    const token = `${odd}${newToken().slice(0, 40)}${odd}`
    first.wallet.next('profile', { body: { userId: 'odd-token', currency: 'EUR' } })
    const { body } = await exchange(token)
    expect(first.wallet.of('profile').at(-1)?.body).toMatchObject({ token })
    await scene.gateway.wire.profile(String((body as Record<string, unknown>).token))
    expect(first.wallet.of('profile').at(-1)?.body).toMatchObject({ token })
  },
)

test('the same operator token results in the same session, after a restart, in another process, and in both at once', async () => {
  const player = await newPlayer(scene)
  const again = await newPlayer(scene, 0, player.operatorToken)
  expect([again.token, again.userId]).toEqual([player.token, player.userId])
  const env = { databaseUrl: scene.gateway.databaseUrl, secret: scene.gateway.secret }
  const other = await startGateway(env)
  try {
    expect(await other.api.exchange(first.operatorId, player.operatorToken)).toMatchObject({
      token: player.token,
      userId: player.userId,
    })
    const profile = { body: { userId: 'new-to-both', currency: 'EUR' } }
    first.wallet.next('profile', ...Array(6).fill(profile))
    const token = newToken()
    const sessions = await Promise.all(
      [0, 1, 2].flatMap(() => [scene.gateway, other].map(({ api }) => api.exchange(first.operatorId, token))),
    )
    expect(new Set(sessions.map((session) => session.token + session.userId)).size).toBe(1)
  } finally {
    await other.stop()
  }
})

test('a player’s next session and next currency get their own tokens, and the player id stays', async () => {
  const profile = { userId: 'ben', currency: 'EUR' }
  first.wallet.next('profile', { body: profile }, { body: profile }, { body: { ...profile, currency: 'USD' } })
  const [one, two] = [await newPlayer(scene), await newPlayer(scene)]
  // the operator keeps its token over the switch
  const three = await newPlayer(scene, 0, two.operatorToken)
  expect(new Set([one.token, two.token, three.token]).size).toBe(3)
  expect([two.userId, three.userId]).toEqual([one.userId, one.userId])
})

test('concurrent exchanges create one id for a new player', async () => {
  first.wallet.always('profile', { body: { userId: 'carol', currency: 'EUR' } })
  const players = await Promise.all(Array.from({ length: 8 }, () => newPlayer(scene)))
  first.wallet.always('profile', {})
  expect(new Set(players.map(({ userId }) => userId)).size).toBe(1)
  expect(new Set(players.map(({ token }) => token)).size).toBe(8)
})

test('players of two operators with the same id are two players', async () => {
  const token = newToken()
  const [one, two] = [await newPlayer(scene, 0, token), await newPlayer(scene, 1, token)]
  expect(one.operatorUser).toBe(two.operatorUser)
  expect(one.userId).not.toBe(two.userId)
  expect(one.token).not.toBe(two.token)
})

test('the database contains the hash of a gateway token, and an operator’s token encrypted', async () => {
  const operatorToken = newToken()
  const { token } = await newPlayer(scene, 0, operatorToken)
  const client = new pg.Client({ connectionString: scene.gateway.databaseUrl })
  await client.connect()
  const { rows } = await client.query('select s.token_hash, s::text as text from gateway.session s')
  await client.end()
  const hash = createHash('sha256').update(token).digest('hex')
  expect(rows.filter(({ token_hash }) => token_hash.toString('hex') === hash)).toHaveLength(1)
  const all = rows.map(({ text }) => text).join()
  expect([all.includes(token), all.includes(operatorToken)]).toEqual([false, false])
})

test('an operator’s rejection differs from an operator’s failure, and neither stores data', async () => {
  first.wallet.next('profile', refusal(4, 'out of date'))
  expect(await exchange(newToken())).toMatchObject({ status: 422, body: { code: 'operator_refused' } })
  const failures = [
    status(503),
    { body: '{' },
    { fault: 'reset' as const },
    { body: { userId: 'a b', currency: 'EUR' } },
  ]
  for (const failure of failures) {
    first.wallet.next('profile', failure)
    expect(await exchange(newToken())).toMatchObject({ status: 502, body: { code: 'operator_failed' } })
  }
})

test('invalid input is a 400 with pointers, an unknown operator a 404, a missing key a 401', async () => {
  expect(await exchange('short')).toMatchObject({ status: 400, body: { errors: [{ pointer: '/token' }] } })
  expect(await exchange('nul-\u0000-in-a-token')).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/token' }] },
  })
  expect(await exchange(newToken(), 'nobody')).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await exchange(newToken(), 'no%20body')).toMatchObject({ status: 400 })
  const bad = { operatorId: 'a/b', baseUrl: 'ftp://x', secret: '' }
  expect(await scene.gateway.api.request('POST', '/operators', bad)).toMatchObject({ status: 400 })
  expect((await fetch(`${scene.gateway.url}/operators`)).status).toBe(401)
})

test('operators are listed newest first, in pages, without their secrets', async () => {
  const ids: unknown[] = []
  let after = ''
  do {
    const { status, body, text } = await scene.gateway.api.request('GET', `/operators?limit=1${after}`)
    expect(status).toBe(200)
    expect(text).not.toContain('secret')
    const { data, next } = body as unknown as { data: { operatorId: string }[]; next: string | null }
    ids.push(...data.map(({ operatorId }) => operatorId))
    after = next === null ? '' : `&after=${encodeURIComponent(next)}`
  } while (after !== '')
  const known = scene.operators.map(({ operatorId }) => operatorId)
  expect(ids.toSorted()).toEqual(known.toSorted())
})

test('an operator’s new address is used from the next call on', async () => {
  const [one, two] = scene.operators as [ScriptedOperator, ScriptedOperator]
  await scene.gateway.api.saveOperator('moving', one.wallet)
  await scene.gateway.api.exchange('moving', newToken())
  const before = two.wallet.of('profile').length
  await scene.gateway.api.saveOperator('moving', two.wallet)
  await scene.gateway.api.exchange('moving', newToken())
  expect(two.wallet.of('profile')).toHaveLength(before + 1)
})
