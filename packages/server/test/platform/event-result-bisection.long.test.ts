/**
 * A bet that cannot be changed by the results of its event blocks no other bet and no other event
 * (C-15).
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { scrape } from '../../../../test/operations/scrape.ts'
import { fakeTime } from '../support/fake-time.ts'
import { startPlatform } from '../support/platform.ts'
import { allowWrites, refuseWrites } from './poison.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.stop())

const SECOND_MS = 1_000
/** After this time the process of a result is presumed dead. */
const ABANDONED_MS = 11 * SECOND_MS
const LONG = { timeout: 60_000, interval: 20 }

async function placeOn(eventId: string): Promise<string> {
  const over = { selections: [{ eventId, outcomeId: 'home', coefficient: '2.5' }] }
  return (await scene.api.place(scene.frame, over)).betId
}
/** In the order in which they follow the result. */
const betsOn = async (eventId: string) =>
  [await placeOn(eventId), await placeOn(eventId), await placeOn(eventId)].sort() as [string, string, string]

/** Read by SQL, because the API cannot show a bet in an unknown currency. */
const statusOf = async (betId: string) =>
  (await scene.platform.sql('select status from platform.bet where bet_id = $1', [betId]))[0]?.status
const statusesOf = (betIds: string[]) => Promise.all(betIds.map(statusOf))
const won = (eventId: string) =>
  scene.api.request('POST', `/events/${eventId}/result`, { outcomes: [{ outcomeId: 'home', result: 'won' }] })

const NOT_WHOLE = { status: 202, body: { applied: false } }
const isApplied = (eventId: string) =>
  scene.platform.sql('select results_applied = results_version as yes from platform.event where event_id = $1', [
    eventId,
  ])

/** The state after a process died directly after it had accepted the result. */
async function leaveResult(eventId: string): Promise<void> {
  const at = scene.time.now()
  await scene.platform.sql(`insert into platform.outcome (event_id, outcome_id, result) values ($1, 'home', 'won')`, [
    eventId,
  ])
  await scene.platform.sql(
    `insert into platform.event (event_id, status, updated_at, results_version, results_at) values ($1, 'ended', $2, 1, $2)`,
    [eventId, at],
  )
}

/** Advances the clock one second at a time. */
const inTheEnd = (betId: string) =>
  expect.poll(async () => {
    await scene.time.advance(SECOND_MS)
    return statusOf(betId)
  }, LONG)

async function gauge(name: string): Promise<number> {
  await scene.time.advance(SECOND_MS)
  return (await scrape(scene.platform.url)).value(name) ?? Number.NaN
}

const OTHER_CURRENCY = 'XTS'
const kinds: [string, (betId: string) => Promise<unknown>, (betId: string) => Promise<unknown>][] = [
  [
    'a rule refuses',
    (betId) => refuseWrites(scene.platform, 'bet', `new.bet_id = '${betId}' and new.status = 'settled'`),
    () => allowWrites(scene.platform),
  ],
  [
    'is in a currency that this process does not know',
    (betId) => scene.platform.sql('update platform.bet set currency = $2 where bet_id = $1', [betId, OTHER_CURRENCY]),
    (betId) => scene.platform.sql(`update platform.bet set currency = 'EUR' where bet_id = $1`, [betId]),
  ],
]

test.each(kinds)(
  'a bet that %s does not block other bets and events, and is settled when it can be',
  async (_kind, poison, cure) => {
    const [eventId, abandoned] = [randomUUID(), randomUUID()]
    const [x, a, c] = await betsOn(eventId)
    const d = await placeOn(abandoned)
    await poison(x)
    expect(await won(eventId)).toMatchObject(NOT_WHOLE)
    await expect.poll(() => statusesOf([x, a, c]), LONG).toEqual(['accepted', 'settled', 'settled'])
    await scene.time.advance(3 * ABANDONED_MS)
    await leaveResult(abandoned)
    await inTheEnd(d).toBe('settled')
    expect(await statusOf(x)).toBe('accepted')
    await expect.poll(() => gauge('platform_results_pending'), LONG).toBe(1)
    expect(await gauge('platform_oldest_pending_results_seconds')).toBeGreaterThanOrEqual((3 * ABANDONED_MS) / 1_000)
    await cure(x)
    await inTheEnd(x).toBe('settled')
    await expect.poll(() => gauge('platform_results_pending'), LONG).toBe(0)
    expect(await gauge('platform_oldest_pending_results_seconds')).toBe(0)
    for (const betId of [x, a, c, d]) expect(scene.wallet.of('settle', betId)).toHaveLength(1)
  },
)

test('a settlement that was lost in a failover is decided again, although the process had counted it', async () => {
  const eventId = randomUUID()
  const [x, a] = await betsOn(eventId)
  await refuseWrites(scene.platform, 'bet', `new.bet_id = '${x}' and new.status = 'settled'`)
  await won(eventId)
  await scene.time.advance(3 * ABANDONED_MS)
  await expect.poll(() => statusesOf([x, a]), LONG).toEqual(['accepted', 'settled'])
  await scene.platform.sql(
    `update platform.bet set status = 'accepted', payout = null, result_type = null where bet_id = $1`,
    [a],
  )
  await allowWrites(scene.platform)
  await inTheEnd(x).toBe('settled')
  await inTheEnd(a).toBe('settled')
})

test('an event whose own row cannot be written blocks no other event', async () => {
  const [eventId, abandoned] = [randomUUID(), randomUUID()]
  const d = await placeOn(abandoned)
  await leaveResult(eventId)
  await refuseWrites(scene.platform, 'event', `new.event_id = '${eventId}'`)
  await scene.time.advance(ABANDONED_MS)
  await leaveResult(abandoned)
  await inTheEnd(d).toBe('settled')
})

async function hold(betId: string): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: scene.platform.databaseUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select from platform.bet where bet_id = $1 for update', [betId])
  return holder
}

test('a locked bet is settled after the other bets', async () => {
  const eventId = randomUUID()
  const [x, a, c] = await betsOn(eventId)
  const holder = await hold(x)
  const applied = won(eventId)
  await expect.poll(() => statusesOf([a, c]), LONG).toEqual(['settled', 'settled'])
  await holder.end()
  await expect.poll(() => statusOf(x), LONG).toBe('settled')
  await applied
})

test('a bet that stays locked for long does not delay the others', async () => {
  const eventId = randomUUID()
  const [x, a, c] = await betsOn(eventId)
  const holder = await hold(x)
  try {
    const applied = won(eventId)
    await expect.poll(() => statusesOf([a, c]), LONG).toEqual(['settled', 'settled'])
    expect(await applied).toMatchObject(NOT_WHOLE)
    expect(await statusOf(x)).toBe('accepted')
  } finally {
    await holder.end()
  }
  await inTheEnd(x).toBe('settled')
})

test('an event result in progress is not taken over by a process whose clock is 20 s ahead before it has watched for a lease (C-12)', async () => {
  const eventId = randomUUID()
  const holder = await hold(await placeOn(eventId))
  expect(await won(eventId)).toMatchObject(NOT_WHOLE)
  const ahead = fakeTime(new Date(scene.time.now().getTime() + 20 * SECOND_MS))
  const begunAt = ahead.now()
  const other = await startPlatform({ time: ahead, databaseUrl: scene.platform.databaseUrl })
  await ahead.settle()
  await ahead.advance(8 * SECOND_MS)
  const [row] = await scene.platform.sql('select results_at from platform.event where event_id = $1', [eventId])
  expect((row?.results_at as Date) < begunAt, 'signed by the sender, whose clock is 20 s behind').toBe(true)
  await holder.end()
  await ahead.advance(2 * ABANDONED_MS)
  await expect.poll(() => isApplied(eventId), LONG).toEqual([{ yes: true }])
  await other.stop()
})

test('a user’s unsettle is kept when the process that applied the result dies before it finished (W-17)', async () => {
  const eventId = randomUUID()
  const [x, y] = await betsOn(eventId)
  await won(eventId)
  await expect.poll(() => isApplied(eventId), LONG).toEqual([{ yes: true }])
  await scene.time.advance(SECOND_MS)
  await scene.platform.sql(`update platform.event set results_applied = 0 where event_id = $1`, [eventId])
  await scene.platform.sql(
    `update platform.bet set status = 'accepted', payout = null, result_type = null where bet_id = $1`,
    [y],
  )
  await scene.api.unsettle(x)
  await inTheEnd(y).toBe('settled')
  await expect.poll(() => isApplied(eventId), LONG).toEqual([{ yes: true }])
  await scene.time.settle()
  expect(await statusOf(x)).toBe('accepted')
  expect(scene.callsOf(x).map(({ operation }) => operation)).toEqual(['place', 'settle', 'unsettle'])
  expect(await scene.api.results(eventId, { home: 'won' }), 'the next result decides').toBe(1)
  expect(await statusOf(x)).toBe('settled')
})
