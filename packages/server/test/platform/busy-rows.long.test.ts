/**
 * An event result completes although another session locks a bet of the event for longer than the
 * wallet's lock time-out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decidedBets } from './decided-bets.ts'
import { type Scene, startScene } from './scene.ts'

/** More than twice the wallet's lock time-out. */
const HELD_MS = 1_200

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const { betAt, decideEvent, stateOf } = decidedBets(() => scene)

test('an event result waits 1.2 s for a locked row and then completes', async () => {
  const { betId, events } = await betAt('2.5')
  await scene.platform.sql('begin')
  await scene.platform.sql('select from platform.bet where bet_id = $1 for update', [betId])
  const deciding = decideEvent(events[0], 'won')
  await sleep(HELD_MS)
  await scene.platform.sql('rollback')
  expect(await deciding).toBe(1)
  expect(await stateOf(betId)).toEqual(['settled', 'won', '25.00'])
})
