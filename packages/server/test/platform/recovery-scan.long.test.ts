/**
 * Other processes take over the work of dead processes in slices, and a fault of one bet blocks no
 * other bet (C-1, C-12).
 */

import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { createLogger } from '@purser/runtime/logger'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { createDeliveryLanes, type DeliveryLanes } from '../../src/platform/delivery/delivery-lanes.ts'
import { auditPlatform } from '../../src/platform/platform-audit.ts'
import { rollBackAbandonedPlacements } from '../../src/platform/recovery/abandoned-placements.ts'
import { createRecoveryScan } from '../../src/platform/recovery/recovery-scan.ts'
import { LEASE_MS } from '../../src/platform/store/outbox.ts'
import { refusal } from '../support/scripted-wallet.ts'
import { manyLike } from './many-bets.ts'
import { type Scene, startScene } from './scene.ts'

/** The time for which a started delivery is watched, plus one scan. */
const WATCHED_MS = LEASE_MS + 3_000
/** Milliseconds after which a statement of a failing database times out. */
const TIMED_OUT_MS = 2_000

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(async () => {
  const db = await openDb({ kind: 'postgres', url: scene.platform.databaseUrl })
  expect(await auditPlatform(db)).toEqual([])
  await db.close()
  await scene.stop()
})

/**
 * Copies of a placed bet, in the state that a dead process leaves. Resolves to their ids, in order.
 */
async function abandonedPlacements(count: number): Promise<string[]> {
  const { sql } = scene.platform
  const { betId } = await scene.api.place(scene.frame)
  await manyLike(scene.platform, betId, count)
  const copies = await sql(
    `update platform.bet set status = 'placing', acknowledged_status = null
     where bet_id in (select md5(n::text)::uuid from generate_series(1, $1::int) n) returning bet_id`,
    [count],
  )
  await sql(
    `insert into platform.delivery overriding system value
     select (jsonb_populate_record(d, jsonb_build_object('delivery_id', 1000000 + n, 'bet_id', md5(n::text)::uuid,
       'request_id', gen_random_uuid(), 'status', 'pending', 'due_at', 'infinity', 'finished_at', null, 'attempts', 1))).*
     from platform.delivery d, generate_series(1, $2::int) n where bet_id = $1`,
    [betId, count],
  )
  return copies.map((row) => String(row.bet_id)).sort()
}

/** The database rejects each later decision about this bet, from any process. */
async function poison(betId: string): Promise<void> {
  await scene.platform.sql(`
    create function platform.refuse() returns trigger language plpgsql as $$ begin raise exception 'poisoned'; end $$;
    create trigger poison before insert on platform.delivery for each row when (new.bet_id = '${betId}') execute function platform.refuse()`)
}
const cure = () => scene.platform.sql('drop trigger poison on platform.delivery')

/** Read by SQL, because the copies have no Place bet for the API. */
async function statuses(betIds: readonly string[]): Promise<unknown[]> {
  const rows = await scene.platform.sql(
    'select status from platform.bet where bet_id = any($1::uuid[]) order by bet_id',
    [betIds],
  )
  return rows.map((row) => row.status)
}

test('abandoned placements are given up in transactions of 200', async () => {
  const betIds = await abandonedPlacements(410)
  await scene.time.advance(WATCHED_MS)
  const [counted] = await scene.platform.sql(
    `select count(*)::int as bets, count(distinct xmin::text)::int as transactions from platform.delivery
     where operation = 'place' and status = 'unknown' and bet_id = any($1::uuid[])`,
    [betIds],
  )
  expect(counted).toEqual({ bets: 410, transactions: 3 })
})

test('a bet that cannot be given up blocks no other bet or claim, and follows later', async () => {
  const settled = await scene.api.place(scene.frame)
  await scene.api.settle(settled.betId, 'won', '25.00')
  await scene.time.settle()
  await scene.platform.sql(
    "update platform.delivery set status = 'pending', is_claimed = true, finished_at = null where operation = 'settle'",
  )
  const betIds = await abandonedPlacements(3)
  const [, poisoned = ''] = betIds
  await poison(poisoned)
  await scene.time.advance(WATCHED_MS)
  expect(await statuses(betIds)).toEqual(['cancelled', 'placing', 'cancelled'])
  expect(scene.wallet.of('rollback')).toHaveLength(2)
  expect(scene.wallet.of('settle', settled.betId)).toHaveLength(2)
  await cure()
  await scene.time.advance(WATCHED_MS)
  expect(await statuses([poisoned])).toEqual(['cancelled'])
})

test('a bet that was decided after the scan found it is not given up, with any decision', async () => {
  const { api, wallet, platform, time } = scene
  const accepted = await api.place(scene.frame)
  const settled = await api.place(scene.frame)
  await api.settle(settled.betId, 'won', '25.00')
  wallet.next('place', refusal(7))
  const declined = await api.place(scene.frame)
  await time.settle()
  const betIds = [accepted, settled, declined].map(({ betId }) => betId)
  const seen = () => Promise.all(betIds.map((betId) => api.bet(betId)))
  const before = await seen()
  const db = await openDb({ kind: 'postgres', url: platform.databaseUrl })
  onTestFinished(() => db.close())
  expect(await rollBackAbandonedPlacements({ db, clock: time, scales: STANDARD_SCALES }, betIds)).toBe(0)
  await time.advance(WATCHED_MS)
  expect(await seen()).toEqual(before)
  expect(wallet.of('rollback')).toEqual([])
})

/** A separate scan on a database where one statement fails, always after a time-out. */
async function lookAt(failing: string) {
  const db = await openDb({ kind: 'postgres', url: scene.platform.databaseUrl })
  onTestFinished(() => db.close())
  const seen = { reads: 0, elapsed: 0, fronts: 0 }
  const query: Db['query'] = async (statement, values) => {
    if (statement.name !== failing) return db.query(statement, values)
    seen.reads++
    seen.elapsed += TIMED_OUT_MS
    throw new Error('poisoned')
  }
  const lanes: DeliveryLanes = { ...createDeliveryLanes(), rewind: () => void seen.fronts++ }
  const timers = { elapsed: () => seen.elapsed }
  const rest = { clock: scene.time, log: createLogger('silent'), scales: new Map(), decided: () => {}, random: () => 0 }
  return { seen, lookout: createRecoveryScan({ db: { ...db, query }, timers, lanes, applying: new Set(), ...rest }) }
}

test.each([
  ['the claims', 'platform_held_claims', 1],
  ['due deliveries', 'platform_next_due', 0],
])(
  'a scan that cannot read %s pauses as long as a successful one, and its other half continues',
  async (_, failing, fronts) => {
    const { seen, lookout } = await lookAt(failing)
    await lookout.scan()
    await lookout.stop()
    seen.elapsed += LEASE_MS
    await lookout.scan()
    expect(seen).toEqual({ reads: 1, elapsed: TIMED_OUT_MS + LEASE_MS, fronts })
    seen.elapsed += 20 * TIMED_OUT_MS
    await lookout.scan()
    await lookout.stop()
    expect(seen.reads).toBe(2)
  },
)
