/**
 * One process applies a result with many bets in slices, with a heartbeat, and sends each slice at
 * once. Other deliveries continue meanwhile.
 */

import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { replaceEnvironment } from '@purser/runtime/environment'
import { createLogger } from '@purser/runtime/logger'
import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { createEventResults } from '../../src/platform/bets/event-results.ts'
import { readPendingResults } from '../../src/platform/store/event-store.ts'
import { ANY_ACTOR } from '../support/any-actor.ts'
import { manyLike } from './many-bets.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(() => scene.stop())

const FINAL = { selections: [{ eventId: 'final', outcomeId: 'home', coefficient: '2.5' }] }

/** The state after a process died directly after it had accepted the result. */
async function leaveResult(): Promise<void> {
  const at = scene.time.now()
  await scene.platform.sql(
    `insert into platform.outcome (event_id, outcome_id, result) values ('final', 'home', 'won')`,
  )
  await scene.platform.sql(
    `insert into platform.event (event_id, status, updated_at, results_version, results_at) values ('final', 'ended', $1, 1, $1)`,
    [at],
  )
}

test('other deliveries continue while an abandoned result meets a locked bet', async () => {
  const { betId: busy } = await scene.api.place(scene.frame, FINAL)
  const { betId: other } = await scene.api.place(scene.frame)
  const holder = new pg.Client({ connectionString: scene.platform.databaseUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select from platform.bet where bet_id = $1 for update', [busy])
  await leaveResult()
  await scene.time.advance(12_000)
  await expect.poll(() => waitsForBet()).toBe(true)
  await scene.api.cancel(other, 50)
  await scene.time.settle()
  expect((await scene.api.bet(other)).deliveries.map(({ status }) => status)).toEqual(['done', 'done'])
  expect((await scene.api.bet(busy)).status).toBe('accepted')
  await holder.query('rollback')
  await holder.end()
  await scene.wallet.seen('settle', 1)
  expect((await scene.api.bet(busy)).status).toBe('settled')
})

async function waitsForBet(): Promise<boolean> {
  const [row] = await scene.platform.sql(
    "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  )
  return Number(row?.waiting) > 0
}

test('each slice is decided and sent before the next one, with a heartbeat when one is due by any clock', async () => {
  const { betId } = await scene.api.place(scene.frame, FINAL)
  await manyLike(scene.platform, betId, 1_100)
  const db = await openDb({ kind: 'postgres', url: scene.platform.databaseUrl })
  let elapsed = 0
  onTestFinished(replaceEnvironment({ monotonicNow: () => (elapsed += 3_000) }))
  const seen: Promise<unknown>[] = []
  const look = async () => {
    const [row] = await scene.platform.sql("select count(*)::int as settled from platform.bet where status = 'settled'")
    return [row?.settled, (await readPendingResults(db))[0]?.heartbeat]
  }
  const transaction: Db['transaction'] = async (work) => {
    await Promise.all(seen)
    return db.transaction(work)
  }
  const deps = {
    db: { ...db, transaction },
    clock: scene.time,
    applying: new Set<string>(),
    scales: STANDARD_SCALES,
    decided: () => void seen.push(look()),
    log: createLogger('silent'),
  }
  const applied = await createEventResults(deps).set(ANY_ACTOR, 'final', [{ outcomeId: 'home', result: 'won' }])
  expect(applied).toEqual({ bets: 1_101, isWhole: true })
  const slices = (await Promise.all(seen)) as [number, string][]
  expect(slices.length).toBeGreaterThan(2)
  expect(new Set(slices.map(([, sign]) => sign)).size).toBe(slices.length)
  expect(slices[0]?.[0], 'committed when it is told').toBeGreaterThanOrEqual(500)
  await db.close()
})
