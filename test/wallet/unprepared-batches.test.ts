/** Batches behind each other on a connection that has not prepared their statement yet. */
import { expect, test } from 'vitest'
import { findingsOf, openScene, place, seat } from './batch-scene.ts'

test('a batch behind one that fails before the connection has prepared their statement is judged again', async () => {
  const scene = await openScene()
  await seat(scene, 'ann', '100.00')
  await seat(scene, 'bob', '100.00')
  await scene.apply(place('ann', 'ann-0', 1), place('bob', 'bob-0', 1))
  scene.statements.length = 0
  await scene.read('begin')
  await scene.read('lock table purser.bet in access exclusive mode') // place_bets waits before it is prepared
  const first = scene.apply(place('ann', 'ann-1', 1))
  const second = scene.apply(place('bob', 'bob-1', 1))
  await expect(first).rejects.toMatchObject({ code: '55P03' })
  await scene.read('commit')
  expect(await second).toEqual([expect.objectContaining({ kind: 'accepted' })])
  expect(scene.statements.slice(0, 3)).toEqual(['place_bets', 'place_bets', 'lock_versions'])
  expect(await findingsOf(scene)).toEqual([])
  await scene.close()
})
