/**
 * The statistics show the calls of the last hour by minute. Several processes count each call once
 * in total, and the counts survive a database outage.
 */

import { createLogger } from '@purser/runtime/logger'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCallStats, MINUTE_MS, SHOWN_MINUTES } from '../../src/core/call-journal/call-stats.ts'
import { readLastHour, UNVERIFIED_PARTY } from '../../src/core/call-journal/last-hour-stats.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement } from '../../src/core/database/db.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const NOON = Date.parse('2031-05-16T12:00:30Z')
let database: TestDatabase
let db: Db
let now: number
const clock = { now: () => new Date(now) }
const log = createLogger('silent')
const process = (over: Partial<Db> = {}) => createCallStats({ db: { ...db, ...over }, clock, log, schema: 'purser' })

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
})
beforeEach(async () => {
  now = NOON
  await db.transaction((tx) => tx.execute(statement('no_minutes', 'delete from purser.call_stats'), []))
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('two processes count at the same time, and each shows the sum of both', async () => {
  const [one, two] = [process(), process()]
  for (const [i, minutes] of [one, two, one].entries()) {
    minutes.add('acme', 'accepted', 4)
    minutes.add(i === 0 ? UNVERIFIED_PARTY : '', 'refused', 4)
    await minutes.read()
  }
  two.add('acme', 'failed', 6_000)
  await two.stop()
  const { minutes, parties } = await readLastHour(one, clock.now())
  const at = '2031-05-16T12:00:00.000Z'
  expect(minutes).toEqual([{ at, accepted: 3, refused: 3, failed: 1, p99Ms: 9650 }])
  expect(parties).toEqual([
    { name: '', isKnown: true, minutes: [{ at, accepted: 0, refused: 2, failed: 0 }] },
    { name: '', isKnown: false, minutes: [{ at, accepted: 0, refused: 1, failed: 0 }] },
    { name: 'acme', isKnown: true, minutes: [{ at, accepted: 3, refused: 0, failed: 1 }] },
  ])
})

test('the statistics show one hour, and rows of earlier days are reused', async () => {
  const minutes = process()
  for (let i = 0; i < 3 * SHOWN_MINUTES; i++) {
    minutes.add('acme', 'accepted', 1)
    const seen = await readLastHour(minutes, clock.now())
    expect(seen.minutes).toHaveLength(Math.min(i, SHOWN_MINUTES) + 1)
    expect(seen.minutes.every(({ accepted }) => accepted === 1)).toBe(true)
    now += MINUTE_MS
  }
  const [row] = await db.userQueries.query<{ rows: bigint }>(
    statement('count', 'select count(*) as rows from purser.call_stats'),
  )
  expect(row?.rows).toBeLessThan(BigInt(2 * SHOWN_MINUTES))
})

test('calls counted while the database was down are shown in their own minute', async () => {
  let isAway = true
  const transaction: Db['transaction'] = (work) =>
    isAway ? Promise.reject(new Error('the database is away')) : db.transaction(work)
  const minutes = process({ transaction })
  minutes.add('acme', 'failed', 4_500)
  await minutes.read()
  now += MINUTE_MS
  isAway = false
  minutes.add('acme', 'accepted', 2)
  const seen = await readLastHour(minutes, clock.now())
  expect(seen.minutes.map(({ failed, accepted }) => [failed, accepted])).toEqual([
    [1, 0],
    [0, 1],
  ])
})
