/**
 * Concurrent bets on an event that has very many bets are all answered, and no bet is debited and
 * then rolled back.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { manyLike } from './many-bets.ts'
import { startScene } from './scene.ts'

const MANY = 100_000
const AT_ONCE = 10

test(`${AT_ONCE} concurrent bets on an event with ${MANY} are all accepted, because totals are compared`, async () => {
  const { api, frame, wallet, platform, time, stop } = await startScene()
  const onFinal = { selections: [{ eventId: randomUUID(), outcomeId: 'home', coefficient: '2.5' }] }
  const { betId } = await api.place(frame, onFinal)
  await manyLike(platform, betId, MANY)
  await platform.sql('update platform.outcome_total set stake = stake * $1, win = win * $1', [MANY + 1])
  await platform.sql('update platform.event_total set bets = bets * $1', [MANY + 1])
  const fits = MANY + 1 + AT_ONCE
  await api.limits({
    eventMaxBets: fits,
    currencies: { EUR: { outcomeMaxStake: `${fits * 10}`, outcomeMaxWin: `${fits * 25}` } },
  })
  const placed = await Promise.all(Array.from({ length: AT_ONCE }, () => api.place(frame, onFinal)))
  expect(placed.map(({ status }) => status)).toEqual(placed.map(() => 'accepted'))
  expect(await api.place(frame, onFinal)).toMatchObject({ status: 'cancelled', reason: 'rollback 110' })
  await time.settle()
  expect(wallet.of('rollback')).toHaveLength(1)
  await stop()
})
