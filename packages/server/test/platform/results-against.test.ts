/**
 * Event results do not change bets that were decided by hand (W-17), and placements on an event do
 * not delay its results.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decidedBets } from './decided-bets.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const { betAt, decideEvent, stateOf, toldOf } = decidedBets(() => scene)

describe('a result decided by hand (W-17)', () => {
  test('overrides the events until it is taken back by hand', async () => {
    const { betId, events } = await betAt('2.5')
    await scene.api.settle(betId, 'refund', '10.00')
    for (const result of ['won', 'lost', undefined] as const) expect(await decideEvent(events[0], result)).toBe(0)
    expect(await stateOf(betId)).toEqual(['settled', 'refund', '10.00'])
    await scene.api.unsettle(betId)
    expect(await decideEvent(events[0], 'won')).toBe(1)
    expect(await stateOf(betId)).toEqual(['settled', 'won', '25.00'])
    // a result of the event follows its correction
    expect(await decideEvent(events[0], 'lost')).toBe(1)
    expect(toldOf(betId)).toEqual([
      ['settle', 'refund', 10],
      ['unsettle', undefined, 10],
      ['settle', 'won', 25],
      ['settle', 'lost', 0],
    ])
  })

  test('sends nothing to the partner if it equals the result of the event, and overrides later results', async () => {
    const { betId, events } = await betAt('2.5')
    await decideEvent(events[0], 'won')
    await scene.api.settle(betId, 'won', '25.00')
    expect(await decideEvent(events[0], 'lost')).toBe(0)
    expect(await stateOf(betId)).toEqual(['settled', 'won', '25.00'])
    expect(toldOf(betId)).toEqual([['settle', 'won', 25]])
  })
})

describe('an event result that meets locked rows', () => {
  test('is not delayed by bets that are placed on its event continuously', async () => {
    const eventId = randomUUID()
    const selections = [{ eventId, outcomeId: 'home', coefficient: '2' }]
    const placed: string[] = []
    let isOver = false
    const bettors = Array.from({ length: 16 }, async () => {
      while (!isOver) placed.push((await scene.api.place(scene.frame, { selections })).status)
    })
    while (placed.length < 2 * bettors.length) await sleep(5)
    await scene.api.results(eventId, { home: 'won' }) // throws unless the answer is 202
    isOver = true
    await Promise.all(bettors)
    await scene.time.settle()
    expect(placed.length).toBeGreaterThan(16)
    const open = await scene.platform.sql(
      `select b.bet_id from platform.bet b join platform.selection using (bet_id) where event_id = $1 and status = 'accepted'`,
      [eventId],
    )
    expect(open).toEqual([]) // every bet has the result
  })
})
