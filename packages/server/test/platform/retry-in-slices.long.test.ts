/**
 * A bulk retry of deliveries works in slices. It sends each delivery once, and a locked bet delays
 * no other bet (W-16).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusal } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const list = () => scene.api.deliveries('?needsAttention=true&limit=500')

async function retry(body: object = {}): Promise<unknown> {
  return (await scene.api.request('POST', '/deliveries/retry', body)).body
}

test('a bulk retry of 450 rejected deliveries sends each once, in slices, while another bet is locked', async () => {
  const eventId = randomUUID()
  const slip = { selections: [{ eventId, outcomeId: 'home', coefficient: '2.1' }] }
  const MANY = 450
  const place = () => scene.api.place(scene.frame, slip)
  for (let i = 0; i < MANY; i += 30) await Promise.all(Array.from({ length: 30 }, place))
  scene.wallet.always('settle', refusal(20))
  await scene.api.results(eventId, { home: 'won' })
  await expect.poll(() => retry({ dryRun: true }), { timeout: 60_000 }).toMatchObject({ count: MANY })
  scene.wallet.always('settle', {})
  const { sql } = scene.platform
  const [held] = await list()
  await sql('begin')
  await sql('select from platform.bet where bet_id = $1 for update', [held?.betId])
  const first = await retry()
  await sql('commit')
  expect(first).toMatchObject({
    count: MANY,
    money: [{ currency: 'EUR', amount: '9450.00', takeBack: '0.00' }],
    taken: MANY - 1,
    notTaken: { stillTried: 0, changed: 1 },
  })
  expect(await retry()).toMatchObject({ count: 1, taken: 1 })
  await expect.poll(async () => (await list()).length).toBe(0)
  const settled = 'select count(*) as settled from platform.bet where partner_id = $1 and acknowledged_payout = 2100'
  await expect.poll(async () => Number((await sql(settled, [scene.partnerId]))[0]?.settled)).toBe(MANY)
  const twice = scene.wallet.requests.filter(({ body }) => body.type === 2)
  expect(twice).toHaveLength(2 * MANY)
})
