/** Limits over sums that are larger than any column of the database (C-3, reasons 110 and 111). */
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
])('%s holds when the sum on an outcome passes 64 bits', async (limit, reason) => {
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
