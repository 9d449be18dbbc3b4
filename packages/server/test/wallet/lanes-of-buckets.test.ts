/**
 * A lane (queue of calls) serves many buckets: it takes whole buckets into a batch, and each bucket
 * always has the same lane.
 */
import { expect, test } from 'vitest'
import { bucketOf, chooseLane, countLanes } from '../../src/wallet/store/bucket.ts'
import { conflict, kindsOf, openLane, settled, standStillEachTime } from './call-queue-scene.ts'

standStillEachTime()

const BUCKETS = 64
/** Two players for each bucket; their names have one character. */
const [FIRST, SECOND] = playersByBucket()

function playersByBucket(): [string[], string[]] {
  const found = Array.from({ length: BUCKETS }, (): string[] => [])
  for (let code = 0x4e00; found.some((some) => some.length < 2); code++) {
    const player = String.fromCharCode(code)
    found[bucketOf(player, BUCKETS)]?.push(player)
  }
  return [found.map(([first = '']) => first), found.map(([, second = '']) => second)]
}

const betsOf = (players: readonly string[]) => players.map((player) => `${player}1`)

test('a batch takes all calls of the first eight waiting buckets, and the next batch takes the others', async () => {
  const { bet, end, seen } = openLane(BUCKETS)
  const ids = [...betsOf(FIRST.slice(0, 10)), ...betsOf(SECOND.slice(0, 10))]
  const answers = ids.map((id) => bet(id))
  await settled()
  await end()
  await end()
  const [early, late] = [ids.filter((_, i) => i % 10 < 8), ids.filter((_, i) => i % 10 >= 8)]
  expect(seen()).toEqual([`fast path: ${early.join(' ')}`, `fast path: ${late.join(' ')}`])
  expect(new Set(await kindsOf(answers))).toEqual(new Set(['accepted']))
})

test('the rules path decides the calls left by the fast path bucket by bucket, and a failed bucket affects no other', async () => {
  const { bet, end, fail, seen } = openLane(BUCKETS)
  const [a, b, c] = [`${FIRST[0]}1`, `${FIRST[1]}1`, `${SECOND[0]}1`]
  const answers = [a, b, c].map((id) => bet(id))
  await settled()
  await end({ [a]: 'left', [b]: 'left', [c]: 'left' })
  await end()
  await fail(new Error('a bucket that is not to be had'))
  expect(seen()).toEqual([`fast path: ${a} ${b} ${c}`, `rules path: ${a} ${c}`, `rules path: ${b}`])
  expect(await kindsOf(answers)).toEqual(['accepted', 'failed', 'accepted'])
})

test('a conflict in one bucket causes its calls to be decided again, one by one', async () => {
  const { bet, end, fail, seen } = openLane(BUCKETS)
  const [a, b] = [`${FIRST[0]}1`, `${FIRST[1]}1`]
  const answers = [a, b].map((id) => bet(id))
  await settled()
  await fail(conflict())
  await fail(conflict())
  await end()
  await end()
  expect(seen()).toEqual([`fast path: ${a} ${b}`, `rules path: ${a}`, `rules path: ${a}`, `rules path: ${b}`])
  expect(await kindsOf(answers)).toEqual(['accepted', 'accepted'])
})

test.each([
  [1, 1, 1],
  [1, 4, 4],
  [3, 4, 3],
  [8, 4, 4],
  [1024, 4, 4],
  [1024, 1, 1],
])(
  'a wallet with %i buckets and %i lanes runs %i lanes, each with whole buckets and players',
  (buckets, wanted, lanes) => {
    expect(countLanes(buckets, wanted)).toBe(lanes)
    const players = Array.from({ length: 20_000 }, (_, i) => `player-${i}`)
    const placed = players.map((player) => [bucketOf(player, buckets), chooseLane(player, buckets, lanes)] as const)
    expect([...new Set(placed.map(([, lane]) => lane))].sort()).toEqual(Array.from({ length: lanes }, (_, i) => i))
    const lanesOfBucket = new Set(placed.map(([bucket, lane]) => `${bucket} ${lane}`)).size
    expect(lanesOfBucket).toBe(Math.max(buckets, lanes))
  },
)
