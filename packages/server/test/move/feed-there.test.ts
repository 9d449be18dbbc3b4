/**
 * A move makes the feed of the new database equal to the feed of the old one, and reports a
 * remaining difference (feed-copy.ts).
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { numberAllChanges } from '../../src/core/change-feed/change-store.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { copyFeed } from '../../src/wallet/relocate/feed-copy.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/wallet-changes.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { inSql } from '../support/second-postgres.ts'
import { startWallet } from '../support/wallet.ts'

const PLAYERS = 12
/** Buckets of the new database; each has some events. */
const BUCKETS = 3

const databases: TestDatabase[] = []
let from: Db
let to: Db
let [fromUrl, toUrl] = ['', '']

async function newDatabase(): Promise<string> {
  const database = await createDatabase()
  databases.push(database)
  return database.url
}

beforeAll(async () => {
  ;[fromUrl, toUrl] = [await newDatabase(), await newDatabase()]
  const wallet = await startWallet({ databaseUrl: fromUrl })
  for (let player = 0; player < PLAYERS; player++) {
    const { userId } = await wallet.operator.createPlayer()
    await wallet.operator.deposit(userId, '1.00')
  }
  await wallet.auditIsClean()
  await wallet.stop()
  from = await openDb({ kind: 'postgres', url: fromUrl })
  to = await openDb({ kind: 'postgres', url: toUrl })
  await numberAllChanges(from, WALLET_CHANGES, new AbortController().signal)
})
beforeEach(() => walk())
afterAll(async () => {
  await Promise.all([from.close(), to.close()])
  for (const database of databases) await database.drop()
})

const walk = (isLast = false) =>
  copyFeed({ from, to, oldBuckets: 1, buckets: BUCKETS }, isLast, new AbortController().signal)

async function feed() {
  const rows = await inSql(
    toUrl,
    'select bucket, size, at::text, events::text, last_number::text as last from purser.change order by last_number, change_id',
  )
  const [count] = await inSql(toUrl, 'select last_number::text as count from purser.feed_counter')
  return { rows, count }
}

test('a feed that was copied already is kept', async () => {
  expect((await feed()).rows.length).toBeGreaterThan(PLAYERS)
  expect(await walk(true)).toMatchObject({ changed: 0, isSame: true })
})

const [FIRST, LAST] = ['min', 'max'].map((which) => `last_number = (select ${which}(last_number) from purser.change)`)
test.each([
  ['another event', "update purser.change set events = replace(events::text, 'EUR', 'USD')::json"],
  ['another time', `update purser.change set at = at + interval '1 microsecond' where ${FIRST}`],
  ['another bucket', `update purser.change set bucket = (bucket + 1) % ${BUCKETS} where ${LAST}`],
  ['another size', `update purser.change set size = size + 1 where ${LAST}`],
  ['no last row', `delete from purser.change where ${LAST}`],
  ['no first row', `delete from purser.change where ${FIRST}`],
  [
    'rows before the first',
    `insert into purser.change (bucket, size, at, events, last_number)
    select bucket, size, at, events, 0 from purser.change where ${FIRST}`,
  ],
  [
    'rows after the last',
    `insert into purser.change (bucket, size, at, events, last_number)
    select bucket, size, at, events, last_number + 5 from purser.change where ${LAST}`,
  ],
  [
    'a row without a number',
    `insert into purser.change (bucket, size, at, events) select bucket, size, at, events from purser.change where ${LAST}`,
  ],
  ['another count', 'update purser.feed_counter set last_number = last_number + 1'],
])('a feed that has %s in the new database is copied again', async (_what, damage) => {
  const before = await feed()
  await inSql(toUrl, damage)
  expect(await feed()).not.toEqual(before)
  expect((await walk(true)).isSame).toBe(true)
  expect(await feed()).toEqual(before)
})

test('changes without a number are left until the last part, and then copied in order', async () => {
  const unnumbered = 'select bucket, events::text from purser.change where last_number is null order by change_id'
  const some = `insert into purser.change (bucket, size, at, events)
    select bucket, size, at, events from purser.change where last_number is not null order by last_number desc limit 2`
  await inSql(fromUrl, some)
  expect(await walk()).toMatchObject({ isSame: true })
  expect(await inSql(toUrl, unnumbered)).toEqual([])
  expect(await walk(true)).toMatchObject({ isSame: true })
  const events = (await inSql(fromUrl, unnumbered)).map((row) => row.events)
  expect((await inSql(toUrl, unnumbered)).map((row) => row.events)).toEqual(events)
  expect(events).toHaveLength(2)
  await inSql(fromUrl, 'delete from purser.change where last_number is null')
  await walk(true)
})

test.each([
  ['with a number', `delete from purser.change where ${LAST}`, ''],
  [
    'without one',
    '',
    'insert into purser.change (bucket, size, at, events) select bucket, size, at, events from purser.change limit 1',
  ],
])('a change %s that the new database alters while writing is a difference', async (_what, there, here) => {
  await inSql(
    toUrl,
    `create function purser.later() returns trigger language plpgsql as 'begin new.at := new.at + interval ''1 s''; return new; end';
     create trigger later before insert on purser.change for each row execute function purser.later(); ${there}`,
  )
  await inSql(fromUrl, here)
  expect(await walk(true)).toMatchObject({ isSame: false })
  await inSql(toUrl, 'drop function purser.later cascade')
  await inSql(fromUrl, 'delete from purser.change where last_number is null')
  expect(await walk(true)).toMatchObject({ isSame: true })
})

test('a feed with a gap in its numbers is copied up to the gap, which is a difference', async () => {
  await inSql(fromUrl, 'update purser.feed_counter set last_number = last_number + 1')
  expect(await walk(true)).toMatchObject({ changed: 0, isSame: false })
  await inSql(fromUrl, 'update purser.feed_counter set last_number = last_number - 1')
})
