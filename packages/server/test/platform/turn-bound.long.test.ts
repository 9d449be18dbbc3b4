/**
 * A turn (pass) of the deliverer has a limit of records and claims, so that its SQL statements end
 * in time.
 */
import { expect, test } from 'vitest'
import { createCircuitBreakers } from '../../src/platform/circuit-breaker.ts'
import { createDeliveryLanes, MAX_PER_TURN } from '../../src/platform/delivery/delivery-lanes.ts'
import { signal } from '../support/signal.ts'
import { manyLike } from './many-bets.ts'
import { startScene } from './scene.ts'

const NOW = new Date()
/** Number of concurrent calls to a new partner. */
const TRUSTED = 64

function dueAt(partners: number) {
  return Array.from({ length: partners }, (_, n) => {
    const dueAt = new Date(NOW.getTime() - n)
    return { partnerId: `partner ${n}`, lane: 'results' as const, dueAt, at: { dueAt: '', deliveryId: 0n } }
  })
}

function wantedOf(partners: number) {
  const lanes = createDeliveryLanes()
  lanes.setDue(dueAt(partners))
  return lanes.claimable(createCircuitBreakers(TRUSTED), NOW).map(({ partnerId, free }) => [partnerId, free])
}

test('one turn divides its claims among partners, the longest due first, and leaves the rest to the next turn', () => {
  expect(wantedOf(2)).toEqual([
    ['partner 1', TRUSTED],
    ['partner 0', TRUSTED],
  ])
  const shares = wantedOf(20)
  expect([shares.length, shares[0]]).toEqual([20, ['partner 19', MAX_PER_TURN / 20]])
  const tooMany = wantedOf(MAX_PER_TURN + 100)
  expect([tooMany.length, tooMany[0]]).toEqual([MAX_PER_TURN, [`partner ${MAX_PER_TURN + 99}`, 1]])
})

test('answers that arrive at once are recorded in several turns', async () => {
  const scene = await startScene()
  const { platform, api, time } = scene
  const partners = await Promise.all(Array.from({ length: 10 }, () => platform.partner()))
  const eventId = 'a final'
  const { betId } = await api.place(scene.frame, { selections: [{ eventId, outcomeId: 'home', coefficient: '2.5' }] })
  await manyLike(platform, betId, partners.length * TRUSTED)
  for (const [n, { partnerId }] of partners.entries())
    await platform.sql(
      'update platform.bet set partner_id = $1 where bet_id in (select md5(i::text)::uuid from generate_series($2::int, $3::int) i)',
      [partnerId, n * TRUSTED + 1, (n + 1) * TRUSTED],
    )
  const answer = signal()
  for (const { wallet } of partners) wallet.always('settle', { hold: answer.given })
  await api.results(eventId, { home: 'won' })
  await Promise.all(partners.map(({ wallet }) => wallet.seen('settle', TRUSTED)))
  answer.give()
  await time.settle()
  const turns = await platform.sql(
    "select count(*)::int as calls from platform.attempt a join platform.delivery d using (delivery_id) where d.operation = 'settle' group by a.xmin::text",
  )
  const calls = turns.map((turn) => Number(turn.calls))
  expect(calls.reduce((sum, one) => sum + one, 0)).toBe(partners.length * TRUSTED + 1)
  expect(Math.max(...calls)).toBeLessThanOrEqual(MAX_PER_TURN)
  await scene.stop()
})
