/**
 * A process takes over the event results of another process when these stay unchanged for a whole
 * lease. No database clock is compared (C-12).
 */

import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { createLogger } from '@purser/runtime/logger'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { createEventResults } from '../../src/platform/bets/event-results.ts'
import { createResultsRecovery } from '../../src/platform/recovery/results-recovery.ts'
import { renewResults } from '../../src/platform/store/event-store.ts'
import { ANY_ACTOR } from '../support/any-actor.ts'
import { type Scene, startScene } from './scene.ts'

const SECOND_MS = 1_000
const WON = [{ outcomeId: 'home', result: 'won' }] as const

let scene: Scene
let db: Db
beforeEach(async () => {
  scene = await startScene()
  db = await openDb({ kind: 'postgres', url: scene.platform.databaseUrl })
})
afterEach(async () => {
  await db.close()
  await scene.stop()
})

async function placeOn(eventId: string): Promise<string> {
  return (await scene.api.place(scene.frame, { selections: [{ eventId, outcomeId: 'home', coefficient: '2.5' }] }))
    .betId
}

const rowOf = async (eventId: string) =>
  (
    await scene.platform.sql(
      `select results_at::text as sign, results_applied = results_version as applied from platform.event where event_id = $1`,
      [eventId],
    )
  )[0]
const signOf = async (eventId: string) => (await rowOf(eventId))?.sign
const isApplied = async (eventId: string) => (await rowOf(eventId))?.applied

/**
 * One of several processes on the database, with its own monotonic clock that the test advances.
 */
function aProcess(over: Partial<Db> = {}) {
  let elapsed = 0
  const deps = {
    ...{ clock: { now: () => new Date() }, scales: STANDARD_SCALES, decided: () => {}, log: createLogger('silent') },
    ...{ applying: new Set<string>(), timers: { elapsed: () => elapsed } },
  }
  const finishing = createResultsRecovery({ ...deps, db: { ...db, ...over } })
  return {
    applying: createEventResults({ ...deps, db: { ...db, ...over } }),
    /** Applies its results on another connection. */
    applyingOn: (held: Db) => createEventResults({ ...deps, db: held }),
    finishing,
    async passSeconds(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        elapsed += SECOND_MS
        await finishing.scan()
      }
    },
  }
}

function barrier() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}

/** Each transaction except the first one waits until `let` is called. */
function slow(): { db: Db; let(): void } {
  const { opened, open } = barrier()
  let begun = 0
  const transaction: Db['transaction'] = async (work) => {
    if (++begun > 1) await opened
    return db.transaction(work)
  }
  return { db: { ...db, transaction }, let: open }
}

test('a slice that outlasts the lease is not taken over by its own process, but by another one that watched it', async () => {
  const betId = await placeOn('final')
  const [own, other] = [aProcess(), aProcess()]
  const held = slow()
  const applied = own.applyingOn(held.db).set(ANY_ACTOR, 'final', WON)
  await expect.poll(() => signOf('final')).toBeTypeOf('string')
  const sign = await signOf('final')
  await own.passSeconds(30)
  await other.passSeconds(10)
  expect(await signOf('final')).toBe(sign)
  await other.passSeconds(1)
  expect(await signOf('final')).not.toBe(sign)
  await other.finishing.stop()
  held.let()
  expect(await applied).toMatchObject({ isWhole: true })
  expect((await scene.api.bet(betId)).deliveries.map(({ operation }) => operation)).toEqual(['place', 'settle'])
  await own.finishing.stop()
})

async function leave(eventId: string, at: string): Promise<void> {
  await scene.platform.sql(`insert into platform.outcome (event_id, outcome_id, result) values ($1, 'home', 'won')`, [
    eventId,
  ])
  await scene.platform.sql(
    `insert into platform.event (event_id, status, updated_at, results_version, results_at) values ($1, 'ended', $2, 1, $2)`,
    [eventId, at],
  )
}

test('a result with heartbeats is never abandoned, and each heartbeat differs even with a stopped or reset clock', async () => {
  await leave('final', '2031-05-16T12:00:00.123456Z')
  const process = aProcess()
  for (let second = 0; second < 30; second += 5) {
    await process.passSeconds(5)
    const sign = await signOf('final')
    await scene.platform.sql("update platform.event set results_at = results_at + interval '1 microsecond'")
    expect(await signOf('final')).not.toBe(sign)
  }
  expect(await isApplied('final')).toBe(false)
  await process.passSeconds(11)
  await expect.poll(() => isApplied('final')).toBe(true)
  expect(((await signOf('final')) as string) > '2031-05-16 12:00:00.124').toBe(true)
  await process.finishing.stop()
})

test('a small event does not wait for a large one', async () => {
  await placeOn('small')
  const { opened, open } = barrier()
  const query: Db['query'] = async (statement, values) => {
    if (values?.[0] === 'large') await opened
    return db.query(statement, values)
  }
  await leave('large', '2031-05-16T11:00:00Z')
  await leave('small', '2031-05-16T12:00:00Z')
  const process = aProcess({ query })
  await process.passSeconds(12)
  await expect.poll(() => isApplied('small')).toBe(true)
  expect(await isApplied('large')).toBe(false)
  open()
  await expect.poll(() => isApplied('large')).toBe(true)
  await process.finishing.stop()
})

test('a process that applies older results of an event than the latest ones stops', async () => {
  await scene.api.request('PUT', '/events/latest', {
    status: 'open',
    outcomes: [{ outcomeId: 'home', coefficient: '2.5' }],
  })
  await scene.api.request('POST', '/events/latest/result', { outcomes: WON })
  const [row] = await scene.platform.sql(
    `select results_version::text as version from platform.event where event_id = 'latest'`,
  )
  const version = BigInt(String(row?.version))
  const isLatest = (shown: bigint) => renewResults(db, { eventId: 'latest', version: shown } as never, new Date())
  expect([await isLatest(version), await isLatest(version - 1n)]).toEqual([true, false])
})
