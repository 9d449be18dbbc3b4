/** The platform finds the records of any id: bets, deliveries and their attempts (W-45). */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { refusal } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
let betId: string
beforeAll(async () => {
  scene = await startScene()
  betId = (await scene.api.place(scene.frame)).betId
  scene.wallet.next('settle', refusal(20, 'blocked'))
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.settle()
})
afterAll(() => scene.stop())

const show = async (id: string) => (await scene.api.request('GET', `/show/${id}`)) as { status: number; body: object }

test('a bet is found by its id in any case, with its deliveries and their attempts', async () => {
  const bet = await scene.api.bet(betId)
  expect(await show(betId)).toMatchObject({ status: 200, body: { kind: 'bet', bet } })
  expect(await show(betId.toUpperCase())).toMatchObject({ body: { kind: 'bet', bet } })
})

test('the beginning of an id is enough if it is unique, and otherwise all matches are listed', async () => {
  await scene.time.advance(1_000)
  const { betId: other } = await scene.api.place(scene.frame)
  const shared = [...betId].findIndex((character, i) => character !== other[i])
  expect(await show(betId.slice(0, shared + 1))).toMatchObject({ body: { kind: 'bet', bet: { betId } } })
  const { body } = await show(betId.slice(0, shared))
  expect(body).toMatchObject({
    kind: 'several',
    matches: [betId, other].map((id) => ({ id, selections: [{ outcomeId: 'home' }], selectionCount: 1 })),
  })
  expect((await show(betId.slice(0, 5))).status).toBe(404)
})

test('a delivery is found by its id or by the requestId that the partner received, with its bet', async () => {
  const { deliveries, ...bet } = await scene.api.bet(betId)
  const settle = deliveries[1]!
  const sent = scene.wallet.of('settle', betId)[0]?.body.requestId
  const expected = { kind: 'delivery', delivery: settle, bet: { betId: bet.betId, status: 'settled' } }
  expect(settle).toMatchObject({ status: 'refused', code: 20, attemptList: [{ outcome: 'refused' }] })
  for (const id of [settle.deliveryId, String(sent), String(sent).toUpperCase()])
    expect(await show(id)).toMatchObject({ status: 200, body: expected })
})

test('the output contains no token', async () => {
  const shown = await Promise.all([betId, '1', '2'].map(show))
  expect(JSON.stringify(shown)).not.toMatch(/token-/)
})

test('an unknown id is reported as not found', async () => {
  const ids = [randomUUID(), '999999', '99999999999999999999', 'no-such', 'zzzzzz', 'ffffff-', '------']
  expect((await Promise.all(ids.map(show))).map(({ status }) => status)).toEqual(ids.map(() => 404))
})

test('purser show --platform prints the result', async () => {
  const env = { PLATFORM_API_KEY: scene.platform.key }
  const shown = await run(['show', '--platform', '--api', scene.platform.url, betId], env)
  expect(shown.code).toBe(0)
  expect(shown.stdout).toMatch(new RegExp(`^bet\\n +betId +${betId}\\n`))
  expect(shown.stdout).toMatch(/deliveries\n[\s\S]*settle[\s\S]* refused[\s\S]*blocked/)
  expect(Math.max(...shown.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(await run(['show', '--platform', '--api', scene.platform.url, 'no-such'], env)).toMatchObject({ code: 1 })
})
