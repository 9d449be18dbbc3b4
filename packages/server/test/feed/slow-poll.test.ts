/**
 * A client that waits for events keeps a slow database busy at most half of the time. The database
 * is slow on Citus with many buckets or on a busy machine; the test controls the clock.
 */

import { systemClock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { expect, test } from 'vitest'
import { createFeed } from '../../src/core/change-feed/change-feed.ts'
import { createChangeNotifier } from '../../src/core/change-feed/change-notifier.ts'
import { createChangeStore } from '../../src/core/change-feed/change-store.ts'
import type { Db } from '../../src/core/database/db.ts'
import { standStill } from '../support/still-world.ts'

const STORE = createChangeStore('purser')
const LOOK_MS = 2_000
const SECONDS = 100
const STEP_MS = 100
const NOTHING_NEW = { last: 0n, has_new: false, before_first: 0n }

/** A database without events; it records the milliseconds of polling and its statements. */
function slowDatabase() {
  let busy = 0
  const asked: string[] = []
  const people: Db['userQueries'] = {
    async query({ name }) {
      asked.push(name)
      if (name.endsWith('_look_at_changes')) {
        await new Promise<void>((resolve) => environment.setTimer(LOOK_MS, resolve))
        busy += LOOK_MS
      }
      return (name.endsWith('_read_changes') ? [] : [NOTHING_NEW]) as never
    },
  }
  return { db: { kind: 'postgres', userQueries: people } as Db, busy: () => busy, asked }
}

test.each([
  { who: 'waits for the feed', begin: (db: Db) => void createFeed(db, STORE).poll('0', 1, 2 * SECONDS * 1_000) },
  {
    who: 'watches a screen',
    begin(db: Db) {
      const feed = createFeed(db, STORE)
      const live = createChangeNotifier({ db, feed, clock: systemClock, schema: 'purser', subjectOf: () => ({}) })
      void live.subscribe('0', 'somebody')
    },
  },
])('a client that $who keeps a slow database busy at most half of the time', async ({ begin }) => {
  const time = standStill()
  try {
    const { db, busy } = slowDatabase()
    begin(db)
    for (let ms = 0; ms < SECONDS * 1_000; ms += STEP_MS) {
      time.pass(STEP_MS)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(busy()).toBeGreaterThan(0.4 * SECONDS * 1_000)
    expect(busy()).toBeLessThan(0.55 * SECONDS * 1_000)
  } finally {
    time.giveBack()
  }
})

test('a client that does not wait reads no page when the feed has no new event', async () => {
  const time = standStill()
  try {
    const { db, asked } = slowDatabase()
    const answer = createFeed(db, STORE).poll('0', 1, 0)
    time.pass(LOOK_MS)
    expect(await answer).toEqual({ kind: 'page', page: { events: [], next: '0' } })
    expect(asked).toEqual(['purser_look_at_changes'])
  } finally {
    time.giveBack()
  }
})
