/**
 * The platform limits the sums of bets per outcome and per event (C-3, reasons 110 to 112). For an
 * express, the sum nearest to its limit decides. The sums may exceed 64 bits.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

test.each([
  ['outcomeMaxStake', 110],
  ['outcomeMaxWin', 111],
])('%s holds when the sum on an outcome exceeds 64 bits', async (limit, reason) => {
  const selections = [{ eventId: randomUUID(), outcomeId: 'home', coefficient: '2.5' }]
  await Promise.all([1, 2].map(() => scene.api.place(scene.frame, { selections })))
  await scene.platform.sql(
    'update platform.outcome_total set stake = 9000000000000000000 * stake, win = 9000000000000000000 * win',
  )
  await scene.api.limits({ [limit]: '1000.00' })
  const third = await scene.api.place(scene.frame, { selections })
  expect(third).toMatchObject({ status: 'cancelled', reason: `rollback ${reason}` })
  await scene.api.limits({})
})

test.each([
  [110, { outcomeMaxStake: '15' }],
  [111, { outcomeMaxWin: '70' }],
  [112, { eventMaxBets: 1 }],
])('limit %i of an express uses the fullest outcome or event, at any position', async (reason, limits) => {
  const [full, empty, other] = [randomUUID(), randomUUID(), randomUUID()]
  const onto = (...events: string[]) =>
    scene.api.place(scene.frame, {
      selections: events.map((eventId) => ({ eventId, outcomeId: 'home', coefficient: '2.5' })),
    })
  expect(await onto(full)).toMatchObject({ status: 'accepted' })
  await scene.api.limits(limits)
  for (const events of [
    [full, empty],
    [empty, full],
  ])
    expect(await onto(...events)).toMatchObject({ status: 'cancelled', reason: `rollback ${reason}` })
  expect(await onto(empty, other)).toMatchObject({ status: 'accepted' })
  await scene.api.limits({})
})
