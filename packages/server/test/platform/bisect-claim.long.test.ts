/**
 * A delivery that the database cannot mark as claimed blocks no other delivery, of any partner
 * (C-15).
 */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allowWrites, refuseWrites, timesRefused } from './poison.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.stop())

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
/** More than the 64 concurrent calls to a partner without earlier calls (concurrency-limit.ts). */
const MORE_THAN_A_WINDOW = 70
const LONG = { timeout: 60_000, interval: 20 }

async function placeOn(eventId: string, frame = scene.frame): Promise<string> {
  const over = { selections: [{ eventId, outcomeId: 'home', coefficient: '2.5' }] }
  return (await scene.api.place(frame, over)).betId
}

const settleOf = async (betId: string) =>
  (await scene.api.bet(betId)).deliveries.find(({ operation }) => operation === 'settle')
const statusesOf = async (betIds: string[]) => Promise.all(betIds.map(async (id) => (await settleOf(id))?.status))

/** Three bets: the poisoned one, the next one of the same partner, and one of another partner. */
async function settledTogether(poisoned: string): Promise<[string, string, string]> {
  const other = await scene.platform.partner()
  const frames = [scene.frame, scene.frame, await scene.api.loadFrame(other.partnerId)]
  const eventId = randomUUID()
  const betIds: string[] = []
  for (const frame of frames) betIds.push(await placeOn(eventId, frame))
  const [x = '', next = '', elsewhere = ''] = betIds
  await refuseWrites(scene.platform, 'delivery', `new.bet_id = '${x}' and ${poisoned}`)
  await scene.api.results(eventId, { home: 'won' })
  await scene.time.advance(SECOND_MS)
  return [x, next, elsewhere]
}

test('a delivery that cannot be claimed needs attention, and the others are sent', async () => {
  const betIds = await settledTogether('new.is_claimed')
  expect(await statusesOf(betIds)).toEqual(['stuck', 'done', 'done'])
  const stuck = await settleOf(betIds[0])
  expect(stuck?.error).toBe('it was not sent, because the claim could not be stored: poison')
  const [owed] = await scene.api.deliveries('?needsAttention=true')
  expect(owed).toMatchObject({ deliveryId: stuck?.deliveryId, amount: '25.00' })
  await allowWrites(scene.platform)
  expect((await scene.api.request('POST', `/deliveries/${stuck?.deliveryId}/retry`)).status).toBe(202)
  await scene.time.advance(SECOND_MS)
  expect(await statusesOf(betIds)).toEqual(['done', 'done', 'done'])
  expect(scene.wallet.of('settle', betIds[0])).toHaveLength(1)
})

test('several such deliveries need attention at once if another delivery could be claimed', async () => {
  const eventId = randomUUID()
  const [x, y, good] = [await placeOn(eventId), await placeOn(eventId), await placeOn(eventId)]
  await refuseWrites(scene.platform, 'delivery', `new.bet_id in ('${x}', '${y}') and new.is_claimed`)
  await scene.api.results(eventId, { home: 'won' })
  await scene.time.advance(SECOND_MS)
  expect(await statusesOf([x, y, good])).toEqual(['stuck', 'stuck', 'done'])
})

test('a delivery that can neither be claimed nor set stuck waits, and all others are sent', async () => {
  const betIds = await settledTogether('true')
  expect(await statusesOf(betIds)).toEqual(['pending', 'done', 'done'])
  const { betId } = await scene.api.place(scene.frame)
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.advance(3 * SECOND_MS)
  expect(await statusesOf([...betIds, betId])).toEqual(['pending', 'done', 'done', 'done'])
  const before = await timesRefused(scene.platform)
  await scene.time.advance(10 * SECOND_MS)
  expect(await timesRefused(scene.platform), 'it is left out for a minute').toBe(before)
  await allowWrites(scene.platform)
  await scene.time.advance(2 * MINUTE_MS)
  expect(await statusesOf(betIds)).toEqual(['done', 'done', 'done'])
})

test('deliveries that another process has abandoned are recovered while turns fail', async () => {
  const [eventId, abandoned] = [randomUUID(), randomUUID()]
  const x = [await placeOn(eventId), await placeOn(eventId)]
  const d = await placeOn(abandoned)
  const list = x.map((betId) => `'${betId}'`).join(', ')
  await refuseWrites(scene.platform, 'delivery', `new.bet_id in (${list}) and new.is_claimed`)
  await scene.api.results(eventId, { home: 'won' })
  await scene.time.advance(SECOND_MS)
  expect(await statusesOf(x), 'nothing could be claimed: the fault may be everywhere').toEqual(['pending', 'pending'])
  const at = scene.time.now()
  await scene.platform.sql(`insert into platform.outcome (event_id, outcome_id, result) values ($1, 'home', 'won')`, [
    abandoned,
  ])
  await scene.platform.sql(
    `insert into platform.event (event_id, status, updated_at, results_version, results_at) values ($1, 'ended', $2, 1, $2)`,
    [abandoned, at],
  )
  const inTime = async () => {
    await scene.time.advance(SECOND_MS)
    return (await settleOf(d))?.status
  }
  await expect.poll(inTime, LONG).toBe('done')
  await scene.time.advance(2 * MINUTE_MS)
  expect(await statusesOf(x), 'something else could be claimed meanwhile: the fault is theirs').toEqual([
    'stuck',
    'stuck',
  ])
})

test('more such deliveries than one turn takes do not block the deliveries after them', async () => {
  const { platform, api, time } = scene
  const eventId = randomUUID()
  const poisoned: string[] = []
  for (let i = 0; i < MORE_THAN_A_WINDOW; i++) poisoned.push(await placeOn(eventId))
  const laterEvent = randomUUID()
  const later = await placeOn(laterEvent)
  const list = poisoned.map((betId) => `'${betId}'`).join(', ')
  // so the deliveries cannot be set stuck either
  await refuseWrites(platform, 'delivery', `new.bet_id in (${list})`)
  await api.results(eventId, { home: 'won' })
  await time.advance(SECOND_MS)
  await api.results(laterEvent, { home: 'won' })
  const inTime = async () => {
    await time.advance(SECOND_MS)
    return (await settleOf(later))?.status
  }
  await expect.poll(inTime, LONG).toBe('done')
})
