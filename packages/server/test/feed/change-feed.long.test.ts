/**
 * The feed of changes has one order for all readers, without missing or doubled events, however
 * many processes write.
 */
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFeed, type Feed, type FeedPage, MAX_FEED_WAITERS } from '../../src/core/change-feed/change-feed.ts'
import {
  addChanges,
  createChangeStore,
  MAX_EVENTS_PER_CHANGE,
  type StoredEvent,
} from '../../src/core/change-feed/change-store.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { migrateSchema } from '../../src/core/database/schema/schema-migration.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { signal } from '../support/signal.ts'

const STORE = createChangeStore('platform')
const AT = new Date('2026-11-22T12:00:00Z')
const NO_WAIT = 0
/** Longer than any test, so a wait that ends has another cause. */
const LONG_MS = 60_000

const events = (...names: string[]): StoredEvent[] => names.map((name) => [name, 'a-member', 1, null])

function write(db: Db, ...names: string[]): Promise<void> {
  return db.transaction((tx) => addChanges(tx, STORE, events(...names), AT))
}

async function page(feed: Feed, after?: string, limit = 500, waitMs = NO_WAIT): Promise<FeedPage> {
  const asked = await feed.poll(after, limit, waitMs)
  if (asked.kind !== 'page') throw new Error(`answered ${asked.kind}`)
  return asked.page
}

async function names(feed: Feed, after?: string, limit?: number): Promise<string[]> {
  return (await page(feed, after, limit)).events.map(({ event: [name] }) => name)
}

/** All events so far, in pages. */
async function readAll(feed: Feed, limit: number): Promise<{ id: string; name: string }[]> {
  const all: { id: string; name: string }[] = []
  let after: string | undefined
  for (;;) {
    const { events: found, next } = await page(feed, after, limit)
    all.push(...found.map(({ id, event: [name] }) => ({ id, name })))
    if (found.length === 0) return all
    after = next
  }
}

const isCounted = (ids: readonly string[]) => ids.every((id, i) => id === String(i + 1))

describe.each(['postgres', 'pglite'] as const)('the feed on %s', (kind) => {
  let database: TestDatabase | undefined
  let db: Db
  let feed: Feed
  beforeAll(async () => {
    if (kind === 'pglite') {
      db = await openDb({ kind, dataDir: 'memory://' })
      await migrateSchema(db)
    }
  })
  beforeEach(async () => {
    if (kind === 'postgres') {
      database = await createDatabase()
      db = await openDb({ kind, url: database.url })
    }
    feed = createFeed(db, STORE)
  })
  afterEach(async () => {
    feed.close()
    if (kind === 'postgres') await db.close()
    else {
      await db.script((run) => run('delete from platform.change; update platform.feed_counter set last_number = 0'))
    }
    await database?.drop()
    database = undefined
  })
  afterAll(async () => {
    if (kind === 'pglite') await db.close()
  })

  test('returns at once with its end when it was set back during a wait', async () => {
    await write(db, 'a', 'b', 'c')
    const { next } = await page(feed)
    const looked = signal()
    const query: Db['userQueries']['query'] = (...question) =>
      db.userQueries.query(...question).finally(looked.give) as never
    const waiting = page(createFeed({ ...db, userQueries: { query } }, STORE), next, 500, LONG_MS)
    await looked.given
    await db.script((run) => run('delete from platform.change; update platform.feed_counter set last_number = 1'))
    expect(await waiting).toEqual({ events: [], next })
    expect(await feed.poll(next, 500, NO_WAIT)).toEqual({ kind: 'unknown', last: '1' })
  })

  test('lists events in the order of their transactions, numbered without gaps, in pages of any size', async () => {
    await write(db, 'a', 'b', 'c')
    await write(db, 'd')
    expect(await names(feed)).toEqual(['a', 'b', 'c', 'd'])
    await write(db, 'e', 'f')
    for (const limit of [1, 2, 5, 500]) {
      const all = await readAll(feed, limit)
      expect(all.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
      expect(isCounted(all.map(({ id }) => id))).toBe(true)
    }
  })

  test('returns an event as it was written', async () => {
    await write(db, 'a')
    expect((await page(feed)).events).toEqual([{ id: '1', at: AT, event: ['a', 'a-member', 1, null] }])
  })

  test('can store more events of one transaction than fit in a row', async () => {
    const many = Array.from({ length: 2 * MAX_EVENTS_PER_CHANGE + 1 }, (_, i) => `n${i}`)
    await write(db, ...many)
    expect((await readAll(feed, 300)).map(({ name }) => name)).toEqual(many)
  })

  test('contains nothing of a transaction that was rolled back, and has no gap', async () => {
    await write(db, 'a')
    await db
      .transaction(async (tx) => {
        await addChanges(tx, STORE, events('undone'), AT)
        throw new Error('undone')
      })
      .catch(() => {})
    await write(db, 'b')
    const all = await readAll(feed, 10)
    expect(all).toEqual([
      { id: '1', name: 'a' },
      { id: '2', name: 'b' },
    ])
  })

  test('returns the next event to a waiting reader, or an empty page after the time-out or a disconnect', async () => {
    await write(db, 'a')
    const waiting = page(feed, '1', 10, LONG_MS)
    await write(db, 'b')
    expect((await waiting).events.map(({ id }) => id)).toEqual(['2'])
    expect(await page(feed, '2', 10, 1)).toEqual({ events: [], next: '2' })
    const gone = new AbortController()
    const asked = feed.poll('2', 10, LONG_MS, gone.signal)
    gone.abort()
    expect(await asked).toMatchObject({ kind: 'page', page: { events: [] } })
    const last = page(feed, 'latest', 10, LONG_MS)
    await feed.poll(undefined, 1, NO_WAIT)
    feed.close()
    expect(await last).toEqual({ events: [], next: '2' })
  })

  test('rejects a cursor of the future and an invalid cursor', async () => {
    await write(db, 'a')
    for (const after of ['2', '-1', 'x', '1.0'])
      expect(await feed.poll(after, 10, NO_WAIT)).toEqual({ kind: 'unknown', last: '1' })
    expect(await page(feed, 'latest')).toEqual({ events: [], next: '1' })
  })

  test('returns its start for a cursor before the retention', async () => {
    await write(db, 'a', 'b')
    await write(db, 'c')
    await page(feed)
    await db.script((run) => run('delete from platform.change where last_number <= 2'))
    expect(await feed.poll('1', 10, NO_WAIT)).toEqual({ kind: 'too_old', first: '2' })
    expect(await names(feed, '2')).toEqual(['c'])
    expect(await names(feed)).toEqual(['c'])
    await db.script((run) => run('delete from platform.change'))
    expect(await feed.poll('2', 10, NO_WAIT)).toEqual({ kind: 'too_old', first: '3' })
    await write(db, 'd')
    expect(await page(feed)).toMatchObject({ events: [{ id: '4' }] })
  })

  test('continues after a lost row with the next event', async () => {
    for (const name of ['a', 'lost', 'b']) await write(db, name)
    await page(feed)
    await db.script((run) => run('delete from platform.change where last_number = 2'))
    // on Citus in two pages
    expect((await readAll(feed, 500)).map(({ name }) => name)).toEqual(['a', 'b'])
    expect(await names(feed, '1')).toEqual(['b'])
    expect(await names(feed, '1', 1), 'in pages that are no longer than what is lost').toEqual(['b'])
  })

  test('reports a cursor as too old when retention deletes its next events just before the read', async () => {
    await write(db, 'a', 'b')
    await write(db, 'c')
    await page(feed)
    const askWhile = (taken: number, after?: string) => {
      const people: Db['userQueries'] = {
        async query(statement, values) {
          await db.script((run) => run(`delete from platform.change where last_number <= ${taken}`))
          return db.userQueries.query(statement, values)
        },
      }
      return createFeed({ ...db, userQueries: people }, STORE).poll(after, 10, NO_WAIT)
    }
    expect(await askWhile(2, '1')).toEqual({ kind: 'too_old', first: '2' })
    await write(db, 'd')
    expect(await askWhile(3)).toMatchObject({ kind: 'page', page: { events: [{ id: '4' }], next: '4' } })
  })

  test('limits the number of waiting readers', async () => {
    const waiting = Array.from({ length: MAX_FEED_WAITERS }, () => feed.poll('latest', 1, LONG_MS))
    expect(await feed.poll('latest', 1, NO_WAIT)).toMatchObject({ kind: 'page' })
    await write(db, 'a')
    expect(new Set((await Promise.all(waiting)).map(({ kind: answered }) => answered))).toEqual(new Set(['page']))
  })
})

describe('a feed with two processes', () => {
  let database: TestDatabase
  let dbs: readonly [Db, Db]
  beforeEach(async () => {
    database = await createDatabase()
    const open = () => openDb({ kind: 'postgres', url: database.url })
    dbs = [await open(), await open()]
  })
  afterEach(async () => {
    for (const db of dbs) await db.close()
    await database.drop()
  })

  test('puts a transaction that began first and commits last at the end, without skipping it', async () => {
    const [feed, other] = dbs.map((db) => createFeed(db, STORE)) as [Feed, Feed]
    const written = signal()
    const commit = signal()
    const slow = dbs[0].transaction(async (tx) => {
      await addChanges(tx, STORE, events('slow'), AT)
      written.give()
      await commit.given
    })
    await written.given
    await write(dbs[1], 'quick')
    expect(await names(feed)).toEqual(['quick'])
    expect(await names(other)).toEqual(['quick'])
    const waiting = page(other, '1', 10, LONG_MS)
    commit.give()
    await slow
    expect((await waiting).events.map(({ id, event: [name] }) => [id, name])).toEqual([['2', 'slow']])
    expect(await names(feed)).toEqual(['quick', 'slow'])
  })

  test('has one order for all readers while both processes number events and many write', async () => {
    const feeds = dbs.map((db) => createFeed(db, STORE))
    const writers = Array.from({ length: 8 }, (_, w) => w)
    const EACH = 40
    const seen: string[] = []
    const follow = async () => {
      let after: string | undefined
      while (seen.length < writers.length * EACH) {
        const { events: found, next } = await page(feeds[1] as Feed, after, 7, LONG_MS)
        seen.push(...found.map(({ event: [name] }) => name))
        after = next
      }
    }
    const writing = writers.map(async (w) => {
      for (let i = 0; i < EACH; i++) {
        await write(dbs[w % 2] as Db, `${w}/${i}`)
        await feeds[i % 2]?.poll(undefined, 1, NO_WAIT)
      }
    })
    await Promise.all([follow(), ...writing])
    const all = await readAll(feeds[0] as Feed, 100)
    expect(all.map(({ name }) => name)).toEqual(seen)
    expect(isCounted(all.map(({ id }) => id))).toBe(true)
    for (const w of writers) {
      const his = seen.filter((name) => name.startsWith(`${w}/`))
      expect(his).toEqual(Array.from({ length: EACH }, (_, i) => `${w}/${i}`))
    }
  })

  test('reads a page and a status through an index, at any length', async () => {
    const owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    await owner.query(`insert into platform.change (size, at, events, last_number)
      select 2, now(), '[["a"],["b"]]', i * 2 from generate_series(1, 100000) i`)
    await owner.query('update platform.feed_counter set last_number = 200000; analyze platform.change')
    const plan = async (sql: string, values: unknown[]) => {
      const { rows } = await owner.query(`explain (analyze, buffers off, timing off, summary off) ${sql}`, values)
      return rows.map((row) => row['QUERY PLAN'] as string).join('\n')
    }
    const read = await plan(STORE.read.text, [100_000, 100])
    expect(read).toContain('change_by_number')
    expect(read).not.toMatch(/Seq Scan|Sort/)
    const rows = [...read.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, count]) =>
      Number.parseInt(count ?? '', 10),
    )
    expect(Math.max(0, ...rows)).toBeLessThan(MAX_EVENTS_PER_CHANGE)
    const look = await plan(STORE.progress.text, [])
    expect(look).toContain('change_to_number')
    expect(look).not.toMatch(/Seq Scan on change |Sort/)
    await owner.end()
  })
})
