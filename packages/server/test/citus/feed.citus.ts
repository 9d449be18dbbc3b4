/**
 * All readers of the wallet's feed see one order without gaps or duplicates, although Citus workers
 * commit at different times.
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createFeed, type Feed } from '../../src/core/change-feed/change-feed.ts'
import { addChanges, createChangeStore } from '../../src/core/change-feed/change-store.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { asServer, CITUS_BUCKETS, createDatabase, type TestDatabase } from '../support/database.ts'
import { inSql } from '../support/second-postgres.ts'

const STORE = createChangeStore('purser')
const AT = new Date('2026-11-25T12:00:00Z')
const EACH = 30
const LONG_MS = 60_000

let database: TestDatabase
let dbs: Db[]
beforeAll(async () => {
  database = await createDatabase()
  dbs = await Promise.all([1, 2, 3].map(() => openDb({ kind: 'postgres', url: database.url })))
})
afterAll(async () => {
  await Promise.all(dbs.map((db) => db.close()))
  await database.drop()
})

const write = (db: Db, name: string, bucket: number) =>
  db.transaction((tx) => addChanges(tx, STORE, [[name]], AT, bucket))

async function follow(feed: Feed, count: number): Promise<[id: string, name: string][]> {
  const seen: [string, string][] = []
  for (let after = '0'; seen.length < count; ) {
    const asked = await feed.poll(after, 7, LONG_MS)
    if (asked.kind !== 'page') throw new Error(`answered ${JSON.stringify(asked)} behind ${after}`)
    seen.push(...asked.page.events.map(({ id, event: [name] }): [string, string] => [id, name]))
    after = asked.page.next
  }
  return seen
}

test('several processes number the events of several workers, and all readers see one order, each writer’s own kept', async () => {
  const feeds = dbs.map((db) => createFeed(db, STORE))
  const writers = Array.from({ length: CITUS_BUCKETS }, (_, bucket) => bucket)
  const writing = writers.map(async (bucket) => {
    for (let i = 0; i < EACH; i++) {
      await write(dbs[bucket % dbs.length] as Db, `${bucket}/${i}`, bucket)
      await feeds[i % feeds.length]?.poll('0', 1, 0)
    }
  })
  const count = writers.length * EACH
  const reading = feeds.map((feed) => follow(feed, count))
  await Promise.all(writing)
  const [first, ...others] = await Promise.all(reading)
  expect(first?.map(([id]) => id)).toEqual(Array.from({ length: count }, (_, i) => String(i + 1)))
  for (const other of others) expect(other).toEqual(first)
  for (const bucket of writers) {
    const his = first?.filter(([, name]) => name.startsWith(`${bucket}/`))
    expect(his?.map(([, name]) => name)).toEqual(Array.from({ length: EACH }, (_, i) => `${bucket}/${i}`))
  }
})

/** Deletes rows of the feed, as a manual repair could. */
const lose = (number: string) =>
  inSql(database.url, `delete from purser.change where ${number} between last_number - size + 1 and last_number`)

test('the feed waits for a missing number while a worker may still commit it, then counts it as lost and goes on', async () => {
  const db = await openDb({ kind: 'postgres', url: asServer('wallet', database.url) })
  const feed = createFeed(db, STORE)
  const next = async (after: string) => {
    const asked = await feed.poll(after, 1, 0)
    return asked.kind === 'page' ? asked.page.events.map(({ event: [name] }) => name) : asked
  }
  const begun = await feed.poll('latest', 1, 0)
  const after = begun.kind === 'page' ? String(BigInt(begun.page.next) + 1n) : ''
  for (const name of ['before', 'lost', 'behind it']) {
    await write(dbs[0] as Db, name, 0)
    await feed.poll('0', 1, 0)
  }
  expect(await next(after)).toEqual(['lost'])
  await lose(`${BigInt(after) + 1n}`)
  const worker = Object.assign(new URL(inject('citusWorkers')?.[1] ?? ''), { pathname: new URL(database.url).pathname })
  await inSql(worker.href, `begin; create table public.late (); prepare transaction 'late'`)
  expect(await next(after)).toEqual([])
  await inSql(worker.href, `rollback prepared 'late'`)
  expect(await next(after)).toEqual(['behind it'])
  await db.close()
})

test('the counter of numbers and the numbers of one worker are committed together, whatever process ends in between', async () => {
  const prepared = async () => (await inSql(database.url, 'select gid from pg_dist_transaction')).map(({ gid }) => gid)
  await write(dbs[0] as Db, 'alone', 0)
  const before = await prepared()
  await createFeed(dbs[0] as Db, STORE).poll('latest', 0, 0)
  expect((await prepared()).filter((gid) => !before.includes(gid)).length).toBeGreaterThan(0)
})
