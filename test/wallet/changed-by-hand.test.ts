/**
 * Nothing is remembered from one batch to the next: what stands in the database counts, however it came there. After a failover that
 * lost commits the server may have another past; here its rows are written by hand.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
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
  await scene.reconnected() // a busy process may not have heard of the end yet
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
  await seat(scene, player, '100.00')
  const bets = Array.from({ length: 4 }, (_, n) => place(player, `bet-${n} of ${code}`, 10))
  expect(await scene.applyEach(bets[0]!, bets[1]!)).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }])
  await failOver(otherPast(player))
  expect(await scene.applyEach(bets[2]!, bets[3]!)).toMatchObject([
    { kind: 'refused', code },
    { kind: 'refused', code },
  ])
})
