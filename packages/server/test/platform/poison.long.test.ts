/**
 * When the database rejects the record of a partner's answer, other answers are still recorded
 * (C-6). The delivery needs a user's attention (C-9).
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scrape } from '../../../../test/operations/scrape.ts'
import { LEASE_MS } from '../../src/platform/store/outbox.ts'
import { allowWrites as allow, refuseWrites } from './poison.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const SECOND_MS = 1_000
const MINUTES = 5

const allowWrites = () => allow(scene.platform)

/** Bets of one event, whose results are answered in one turn. */
async function settledTogether(poisoned: string): Promise<string[]> {
  const eventId = `event-of-${poisoned}`
  const over = { selections: [{ eventId, outcomeId: 'home', coefficient: '2.5' }] }
  const betIds: string[] = []
  for (let i = 0; i < 5; i++) betIds.push((await scene.api.place(scene.frame, over)).betId)
  await refuseWrites(scene.platform, 'delivery', `new.bet_id = '${betIds[2]}' and ${poisoned}`)
  await scene.api.results(eventId, { home: 'won' })
  await scene.time.advance(SECOND_MS)
  return betIds
}

const settleOf = async (betId: string) =>
  (await scene.api.bet(betId)).deliveries.find(({ operation }) => operation === 'settle')!
const statusesOf = async (betIds: string[]) => Promise.all(betIds.map(async (betId) => (await settleOf(betId)).status))

test('a delivery whose answer cannot be recorded needs attention, and the others are recorded', async () => {
  const betIds = await settledTogether("new.status = 'done'")
  expect(await statusesOf(betIds)).toEqual(['done', 'done', 'stuck', 'done', 'done'])
  const stuck = await settleOf(betIds[2]!)
  expect(stuck.error).toBe(
    'the partner answered (accepted, HTTP status 200), but the answer could not be recorded: poison',
  )
  const [owed] = await scene.api.deliveries('?needsAttention=true')
  expect(owed).toMatchObject({ deliveryId: stuck.deliveryId, amount: '25.00' })
  await allowWrites()
  expect((await scene.api.request('POST', `/deliveries/${stuck.deliveryId}/retry`)).status).toBe(202)
  await scene.time.advance(SECOND_MS)
  expect((await settleOf(betIds[2]!)).status).toBe('done')
})

test('a delivery that cannot even be set stuck keeps its attempt and is sent again later', async () => {
  const betIds = await settledTogether("new.status <> 'waiting' and not new.is_claimed")
  expect(await statusesOf(betIds)).toEqual(['done', 'done', 'pending', 'done', 'done'])
  expect((await settleOf(betIds[2]!)).attemptList).toMatchObject([{ outcome: 'accepted' }])
  expect((await scrape(scene.platform.url)).value('platform_answers_unrecorded_total')).toBe(1)
  await allowWrites()
  await scene.time.advance(2 * LEASE_MS)
  expect(await statusesOf(betIds)).toEqual(['done', 'done', 'done', 'done', 'done'])
})

test('a result that can be neither completed nor set stuck is sent once a minute, also after its retries ended', async () => {
  const betIds = await settledTogether("new.status in ('done', 'stuck')")
  const poisoned = betIds[2]!
  await scene.platform.sql(
    "update platform.delivery set first_attempt_at = first_attempt_at - interval '26 hours' where bet_id = $1 and operation = 'settle'",
    [poisoned],
  )
  const sent = () => scene.wallet.of('settle', poisoned).length
  const before = sent()
  await scene.time.advance(MINUTES * 60 * SECOND_MS)
  expect(sent() - before).toBeGreaterThan(1)
  expect(sent() - before).toBeLessThanOrEqual(MINUTES)
  await allowWrites()
  await scene.time.advance(2 * 60 * SECOND_MS)
  expect(await statusesOf(betIds)).toEqual(['done', 'done', 'done', 'done', 'done'])
})

test('the owed amount is that of the last decision, also while the delivery is set stuck', async () => {
  const { betId } = await scene.api.place(scene.frame)
  const holder = new pg.Client({ connectionString: scene.platform.databaseUrl })
  await holder.connect()
  await holder.query('select pg_advisory_lock(1)')
  await scene.platform.sql(`create function platform.poison() returns trigger language plpgsql as $$ begin
    if new.status = 'done' then raise exception 'poison' using errcode = 'check_violation'; end if;
    if new.status = 'stuck' then perform pg_advisory_xact_lock(1); end if;
    return new; end $$`)
  await scene.platform.sql(`create trigger poison before update on platform.delivery for each row
    when (new.bet_id = '${betId}') execute function platform.poison()`)
  const waiting = async () =>
    (
      await scene.platform.sql(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      )
    ).length
  await scene.api.settle(betId, 'won', '25.00')
  const sent = scene.time.advance(SECOND_MS)
  await expect.poll(waiting, LONG).toBe(1)
  let isDecided = false
  const decided = scene.api.settle(betId, 'lost', '0.00').then(() => {
    isDecided = true
  })
  await expect.poll(async () => isDecided || (await waiting()) === 2, LONG).toBe(true)
  await holder.end()
  await Promise.all([decided, sent])
  await allowWrites()
  const [owed] = await scene.api.deliveries('?needsAttention=true')
  expect(owed).toMatchObject({ operation: 'settle', owedAmount: '0.00' })
})

const LONG = { timeout: 60_000 }
