/**
 * After a failover that lost commits a version of a player may stand for something else than before: what was known by it is
 * forgotten with the connection. The row is put back by hand, as the server that took over would have it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccountMemory } from '../../src/wallet/apply/account-memory.ts'
import { type BatchScene, findingsOf, openScene, place, seat } from './batch-scene.ts'

let scene: BatchScene
beforeAll(async () => {
  scene = await openScene()
})
afterAll(async () => {
  expect(await findingsOf(scene)).toEqual([])
  await scene.close()
})

/** The connections of the process end, and the server behind them has another past. */
async function failOver(otherPast: string): Promise<void> {
  await scene.read(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await scene.read(otherPast)
}

const others: [string, (player: string) => string, string][] = [
  [
    'a player who is blocked',
    (id) => `update purser.player set status = 'blocked' where player = '${id}'`,
    'player_blocked',
  ],
  [
    'a token that has ended',
    (id) => `update purser.session set ended_at = now() where player = '${id}'`,
    'expired_token',
  ],
]
test.each(others)('%s there is refused, though the version is the same', async (what, otherPast, code) => {
  const player = `player with ${what}`
  scene.memory = createAccountMemory()
  await seat(scene, player, '100.00')
  const bets = Array.from({ length: 4 }, (_, n) => place(player, `bet-${n} of ${code}`, 10))
  expect(await scene.apply(bets[0]!)).toMatchObject([{ kind: 'accepted' }])
  expect(await scene.apply(bets[1]!)).toMatchObject([{ kind: 'accepted' }])
  await failOver(otherPast(player))
  expect(await scene.apply(bets[2]!)).toMatchObject([{ kind: 'refused', code }])
  expect(await scene.apply(bets[3]!)).toMatchObject([{ kind: 'refused', code }])
})
