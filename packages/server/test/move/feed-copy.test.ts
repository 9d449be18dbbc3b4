/**
 * A move copies a feed row into a database with another number of buckets. The new rows have the
 * same events and numbers, each in the bucket of its player.
 */
import { expect, test } from 'vitest'
import type { StoredEvent } from '../../src/core/change-feed/change-store.ts'
import { splitByBucket } from '../../src/wallet/relocate/feed-copy.ts'
import { bucketOf } from '../../src/wallet/store/bucket.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/wallet-changes.ts'

const PLAYERS = Array.from({ length: 12 }, (_, i) => `player-${i}`)
const column = (text: string) => PLAYERS.map((_, i) => `${text}${i}`)
const AMOUNTS = PLAYERS.map((_, i) => (i % 3 === 0 ? '0' : String(100 + i)))

const ITEMS: StoredEvent[] = [
  ['player.created', 'player-3', 'active', 'EUR', ['EUR'], null, null, []],
  [
    'taken',
    'bet.placed',
    PLAYERS,
    column('b'),
    column('r'),
    PLAYERS.map(() => 'EUR'),
    AMOUNTS,
    null,
    AMOUNTS,
    AMOUNTS,
  ] as unknown as StoredEvent,
  ['bet.rolled_back', 'player-4', 'bet', 'request', 'EUR', '5', '1', '5', '105', '7'],
  ['bet.refused', 'player-5', 'bet', 'request', 'EUR', '5', 'not_enough_money', null, null, null],
]
const eventsOf = (items: readonly StoredEvent[]) => items.flatMap(WALLET_CHANGES.eventsOf)
const SIZE = eventsOf(ITEMS).length
const row = (last: string | null) => ({
  ...{ bucket: 0, size: SIZE, at: '2026-11-25 12:00:00.123456', events: JSON.stringify(ITEMS), last },
})

test.for([1, 2, 4, 16])('a row that is split for %i buckets contains the same events', (buckets) => {
  const rows = splitByBucket(row('1000'), buckets)
  expect(rows.flatMap(({ events }) => eventsOf(JSON.parse(events)))).toEqual(eventsOf(ITEMS))
  let last = 1000 - SIZE
  for (const one of rows) {
    const events = eventsOf(JSON.parse(one.events))
    last += events.length
    expect([one.size, one.last, one.at]).toEqual([events.length, String(last), row(null).at])
    expect(events.map(([, player]) => bucketOf(String(player), buckets))).toEqual(events.map(() => one.bucket))
  }
  expect(last).toBe(1000)
})

test('a row without a number is split into rows without numbers', () => {
  expect(splitByBucket(row(null), 4).map(({ last }) => last)).toEqual(splitByBucket(row('100'), 4).map(() => null))
})

test('a row of one bucket is not changed', () => {
  expect(splitByBucket(row('1000'), 1)).toEqual([row('1000')])
})
