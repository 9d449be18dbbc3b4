/** A self-exclusion (code 14) ends in exactly the right millisecond. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { patchPlayer } from '../../src/wallet/operator-api/players/player-profile.ts'
import {
  ANY_ACTOR,
  type BatchScene,
  elsewhere,
  findingsOf,
  openScene,
  place,
  STARTED_AT,
  seat,
} from './call-batch-scene.ts'

let scene: BatchScene
beforeAll(async () => {
  scene = await openScene()
  await seat(scene, 'ann', '100.00')
})
afterAll(async () => {
  expect(await findingsOf(scene)).toEqual([])
  await scene.close()
})

test('a self-excluded player may bet again in the millisecond in which the exclusion ends, and not earlier', async () => {
  const until = new Date(STARTED_AT.getTime() + 60_000)
  await patchPlayer(elsewhere(scene), ANY_ACTOR, 'ann', { selfExcludedUntil: until.toISOString() })
  scene.now = new Date(until.getTime() - 1)
  expect(await scene.apply(place('ann', 'bet-1', 10))).toEqual([{ kind: 'refused', code: 'self_excluded' }])
  scene.now = until
  expect(await scene.apply(place('ann', 'bet-2', 10))).toMatchObject([{ kind: 'accepted' }])
})
