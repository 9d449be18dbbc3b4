/**
 * The journal has limits (W-30): a rate for unauthenticated calls, and a daily number of calls on
 * the embedded database.
 */

import { replaceEnvironment } from '@purser/runtime/environment'
import { createLogger } from '@purser/runtime/logger'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type CallJournal, createCallJournal } from '../../src/core/call-journal/call-journal.ts'
import type { AnsweredCall } from '../../src/core/call-journal/journal-record.ts'
import { createDailyQuota, createTokenBucket } from '../../src/core/call-journal/token-bucket.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement } from '../../src/core/database/db.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const DAY_MS = 86_400_000
const KEPT = 100_000
/** Fewer than the maximum of unwritten calls. */
const AT_ONCE = 20_000
const CALL: AnsweredCall = {
  ...{ ageMs: 1, arrivalMs: 0, workMs: 1, source: '127.0.0.1', operation: 'place', outcome: 'accepted', secret: 0 },
  ...{ body: Buffer.from('{}'), status: 200, answer: '{}' },
}

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('the daily quota admits its number of calls a day, and the same number on the next day', () => {
  const day = createDailyQuota(3)
  const taken = (now: number, calls: number) =>
    Array.from({ length: calls }, () => day.take(now)).filter(Boolean).length
  expect([taken(DAY_MS, 2), taken(2 * DAY_MS - 1, 5), taken(2 * DAY_MS, 5)]).toEqual([2, 1, 3])
})

test('the token bucket admits its burst, then as many as its rate allows, and never more than the burst', () => {
  let now = 1_000
  onTestFinished(replaceEnvironment({ monotonicNow: () => now }))
  const allowance = createTokenBucket(3, 2)
  const taken = () => Array.from({ length: 10 }, () => allowance.take()).filter(Boolean).length
  expect(taken()).toBe(3)
  now += 499
  expect(taken()).toBe(0)
  now += 501
  expect(taken()).toBe(2)
  now += 60_000
  expect(taken()).toBe(3)
})

const COUNT = statement('count_journal', 'select coalesce(sum(calls), 0)::int as calls from purser.journal')
const kept = async () => (await db.userQueries.query<{ calls: number }>(COUNT))[0]?.calls

async function add(journal: CallJournal, calls: number): Promise<void> {
  const before = (await kept()) ?? 0
  for (let i = 0; i < calls; i++) journal.add(CALL)
  await expect.poll(kept, { timeout: 10_000 }).toBe(before + calls)
}

test('on the embedded database the journal stores 100,000 calls a day, counts the rest, and starts again the next day', async () => {
  let now = new Date()
  const embedded: Db = { ...db, kind: 'pglite' }
  const journal = createCallJournal({
    ...{ db: embedded, clock: { now: () => now }, log: createLogger('silent'), schema: 'purser', days: 14 },
  })
  for (let calls = 0; calls < KEPT; calls += AT_ONCE) await add(journal, AT_ONCE)
  expect(journal.lost()).toBe(0)
  for (let i = 0; i < 5; i++) journal.add(CALL)
  expect(journal.lost()).toBe(5)
  now = new Date(now.getTime() + DAY_MS)
  await add(journal, 1)
  await journal.stop()
  expect([journal.lost(), await kept()]).toEqual([5, KEPT + 1])
})
