/**
 * No batch uses data that an earlier batch left in memory: only the present database rows count.
 * After a failover that lost commits, rows may be older; in this test, SQL changes them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { moveCash } from '../../src/wallet/operator-api/money/deposits-and-withdrawals.ts'
import type { PlaceCall } from '../../src/wallet/store/bet.ts'
import { ANY_ACTOR, type BatchScene, elsewhere, findingsOf, openScene, place, seat } from './call-batch-scene.ts'

let scene: BatchScene
beforeAll(async () => {
  scene = await openScene()
})
afterAll(async () => {
  expect(await findingsOf(scene)).toEqual([])
  await scene.close()
})

/** Closes the connections of the process, and gives the server another past. */
async function failOver(otherPast: string): Promise<void> {
  await scene.read(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await scene.read(otherPast)
  await scene.reconnected() // a busy process may not have noticed the end yet
}

/** Each bet is sent to the fast path in its own batch. */
async function verdictsOn(...bets: PlaceCall[]): Promise<string[]> {
  const verdicts: string[] = []
  for (const bet of bets) verdicts.push(...(await scene.take(bet)).map(({ kind }) => kind))
  return verdicts
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
test.each(others)(
  'a failover with %s causes a rejection although the row version is the same',
  async (what, otherPast, code) => {
    const player = `player with ${what}`
    await seat(scene, player, '100.00')
    const bets = Array.from({ length: 4 }, (_, n) => place(player, `bet-${n} of ${code}`, 10))
    expect(await verdictsOn(bets[0]!, bets[1]!)).toEqual(['taken', 'taken'])
    await failOver(otherPast(player))
    expect(await verdictsOn(bets[2]!)).toEqual(['left'])
    expect(await scene.applyEach(bets[2]!, bets[3]!)).toMatchObject([
      { kind: 'refused', code },
      { kind: 'refused', code },
    ])
  },
)

test('a bet that was lost in a failover is accepted again and debits its stake again', async () => {
  const player = 'player whose second bet is lost'
  await seat(scene, player, '100.00')
  const bets = [place(player, 'kept', 60), place(player, 'lost', 40)] as const
  expect(await verdictsOn(...bets)).toEqual(['taken', 'taken'])
  await failOver(`
    delete from purser.bet where bet_id = 'lost';
    delete from purser.bet_details where bet_id = 'lost';
    delete from purser.transfer where bet_id = 'lost';
    delete from purser.change where events::text like '%lost%';
    update purser.account set balance = balance + 4000, version = version - 1 where player = '${player}'`)
  expect(await verdictsOn(place(player, 'dearer', 41), bets[0], bets[1])).toEqual(['left', 'left', 'taken'])
  expect(await balanceOf(player)).toBe('0')
})

test('a balance change by another process between two batches counts in the next batch', async () => {
  const player = 'player with money elsewhere'
  await seat(scene, player, '100.00')
  const betOf = (euros: number) => place(player, `${euros} of ${player}`, euros)
  const other = await openDb({ kind: 'postgres', url: scene.url })
  const move = (kind: 'deposit' | 'withdrawal', amount: string) =>
    moveCash({ ...elsewhere(scene), db: other }, ANY_ACTOR, player, kind, { currency: 'EUR', amount, reference: kind })
  try {
    expect(await verdictsOn(betOf(60))).toEqual(['taken'])
    await move('withdrawal', '35.00')
    expect(await verdictsOn(betOf(10))).toEqual(['left'])
    expect(await scene.apply(betOf(10))).toMatchObject([{ kind: 'refused', code: 'not_enough_money' }])
    await move('deposit', '20.00')
    expect(await verdictsOn(betOf(25))).toEqual(['taken'])
    expect(await balanceOf(player)).toBe('0')
  } finally {
    await other.close()
  }
})

async function balanceOf(player: string) {
  const [account] = await scene.read(`select balance from purser.account where player = '${player}'`)
  return account?.balance
}
