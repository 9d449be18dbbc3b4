/**
 * A lane of the call queue (call-queue.ts) puts the right calls into each batch, on the right path,
 * and lets the others wait. Tests count turns of the event loop and advance the clock.
 */

import { LIMITS } from '@purser/protocol/wire-limits'
import { expect, test } from 'vitest'
import type { BetCallOutcome } from '../../src/wallet/queue/rules-path.ts'
import {
  conflict,
  endBatchOf,
  kindsOf,
  LONGEST_REST_MS,
  openLane,
  outage,
  playersFrom,
  SWEEP_MS,
  settled,
  standStillEachTime,
  time,
} from './call-queue-scene.ts'

standStillEachTime()

test('calls collect in the lane while a batch is in the database', async () => {
  const { bet, end, seen } = openLane()
  const answers = [bet('a1')]
  await settled()
  answers.push(bet('b1'), bet('c1'))
  await settled()
  expect(seen()).toEqual(['fast path: a1'])
  await end()
  expect(seen()).toEqual(['fast path: a1', 'fast path: b1 c1'])
  await end()
  expect(await kindsOf(answers)).toEqual(['accepted', 'accepted', 'accepted'])
})

test.each([
  [3, 3],
  [LONGEST_REST_MS + 1, LONGEST_REST_MS],
])('after a batch of many calls that took %i ms a lane waits for more calls for %i ms', async (took, restMs) => {
  const lane = openLane()
  const answers = await endBatchOf(8, lane, took)
  answers.push(lane.bet('x1'))
  await settled()
  time.pass(restMs - 1)
  answers.push(lane.bet('y1'))
  await settled()
  expect(lane.seen()).toHaveLength(1)
  time.pass(1)
  await settled()
  expect(lane.seen()[1]).toBe('fast path: x1 y1')
  await lane.end()
  expect(await Promise.all(answers)).toHaveLength(10)
})

test('a waiting lane starts its batch at once when many calls arrive', async () => {
  const lane = openLane()
  const answers = await endBatchOf(8, lane)
  const many = playersFrom('A', 64)
  answers.push(...many.slice(1).map((id) => lane.bet(id)))
  await settled()
  expect(lane.seen()).toHaveLength(1)
  answers.push(lane.bet('A1'))
  await settled()
  expect(lane.seen()[1]?.replace('fast path: ', '').split(' ')).toHaveLength(many.length)
  await lane.end()
  expect(await Promise.all(answers)).toHaveLength(8 + many.length)
})

test('after a batch of few calls a lane does not wait, and an empty lane is idle', async () => {
  const lane = openLane()
  const answers = await endBatchOf(7, lane)
  answers.push(lane.bet('x1'))
  await settled()
  expect(lane.seen()[1]).toBe('fast path: x1')
  await lane.end()
  expect(await Promise.all(answers)).toHaveLength(8)

  const busy = openLane()
  await endBatchOf(8, busy)
  time.pass(LONGEST_REST_MS)
  await settled()
  const alone = busy.bet('x1')
  await settled()
  expect(busy.seen()[1]).toBe('fast path: x1')
  await busy.end()
  expect(await alone).toMatchObject({ kind: 'accepted' })
})

test('each player has one call at a time on the fast path, in order, and delays no other player', async () => {
  const { bet, end, seen } = openLane()
  const answers = ['a1', 'b1', 'a2', 'a3'].map((id) => bet(id))
  await settled()
  answers.push(bet('c1'))
  for (let batch = 0; batch < 3; batch++) await end()
  expect(seen()).toEqual(['fast path: a1 b1', 'fast path: a2 c1', 'fast path: a3'])
  expect(await Promise.all(answers)).toHaveLength(5)
})

test('the calls of a busy player go to the rules path together after the fast path', async () => {
  const { bet, end, seen } = openLane()
  const answers = ['a1', 'b1', 'a2', 'a3', 'a4', 'a5'].map((id) => bet(id))
  await settled()
  await end()
  expect(seen()).toEqual(['fast path: b1', 'rules path: a1 a2 a3 a4 a5'])
  await end()
  expect(await Promise.all(answers)).toHaveLength(6)
})

test('a call that the fast path cannot take goes to the rules path with the later calls of its player', async () => {
  const { bet, takeBack, end, seen } = openLane()
  const answers = [takeBack('a1'), bet('a2'), bet('b1'), takeBack('b2')]
  await settled()
  await end()
  expect(seen()).toEqual(['fast path: b1', 'rules path: a1 a2'])
  await end()
  expect(seen()[2]).toBe('rules path: b2')
  await end()
  expect(await Promise.all(answers)).toHaveLength(4)
})

test('calls left by the fast path run before the next batch, and calls it took are answered at once', async () => {
  const { bet, end, seen } = openLane()
  const [left, taken, next] = ['a1', 'b1', 'a2'].map((id) => bet(id)) as [
    Promise<BetCallOutcome>,
    Promise<BetCallOutcome>,
    Promise<BetCallOutcome>,
  ]
  await settled()
  await end({ a1: 'left' })
  expect(seen()).toEqual(['fast path: a1 b1', 'rules path: a1'])
  expect(await taken).toMatchObject({ kind: 'accepted', betId: 'b1' })
  await end()
  expect(await left).toMatchObject({ kind: 'accepted', betId: 'a1' })
  await end()
  expect(await next).toMatchObject({ kind: 'accepted', betId: 'a2' })
})

test('a call of a locked player returns to the front of the queue three times before it goes to the rules path', async () => {
  const { bet, end, seen } = openLane()
  const answers = [bet('a1'), bet('b1'), bet('a2')]
  await settled()
  await end({ a1: 'busy' })
  answers.push(bet('c1'))
  await end({ a1: 'busy' })
  await end({ a1: 'busy' })
  await end()
  expect(seen()).toEqual(['fast path: a1 b1', 'fast path: a1', 'fast path: a1 c1', 'rules path: a1 a2'])
  await end()
  expect(await Promise.all(answers)).toHaveLength(4)
})

test('calls that fail on the fast path go to the rules path, unless the database is down', async () => {
  const { bet, end, fail, seen, failures } = openLane()
  const answers = [bet('a1'), bet('b1')]
  await settled()
  await fail(conflict())
  expect(seen()).toEqual(['fast path: a1 b1', 'rules path: a1 b1'])
  await end()
  answers.push(bet('c1'), bet('d1'))
  await settled()
  await fail(outage())
  expect(await kindsOf(answers)).toEqual(['accepted', 'accepted', 'failed', 'failed'])
  expect(seen()).toHaveLength(3)
  expect(failures).toHaveLength(2)
})

test('the rest of a batch is not sent to a database that was down on the fast path', async () => {
  const { bet, takeBack, fail, seen } = openLane()
  const answers = [bet('a1'), takeBack('b1')]
  await settled()
  await fail(outage())
  expect(seen()).toEqual(['fast path: a1'])
  expect(await kindsOf(answers)).toEqual(['failed', 'failed'])
})

test('a call that waits during a failed batch does not fail with that batch', async () => {
  const { bet, end, fail } = openLane()
  const answers = [bet('a1')]
  await settled()
  answers.push(bet('a2'))
  await fail(outage())
  await end()
  expect(await kindsOf(answers)).toEqual(['failed', 'accepted'])
})

test('calls that are retried one by one stop at the first outage of the database', async () => {
  const { takeBack, end, fail, seen } = openLane()
  const answers = [takeBack('a1'), takeBack('b1'), takeBack('c1')]
  await settled()
  await fail(new Error('one of them is poisoned'))
  await end()
  await fail(outage())
  expect(await kindsOf(answers)).toEqual(['accepted', 'failed', 'failed'])
  expect(seen()).toEqual(['rules path: a1 b1 c1', 'rules path: a1', 'rules path: b1'])
})

test('a call with a write conflict is retried once more, alone', async () => {
  const { takeBack, end, fail, seen } = openLane()
  const answers = [takeBack('a1')]
  await settled()
  await fail(conflict())
  await fail(conflict())
  await end()
  expect(await kindsOf(answers)).toEqual(['accepted'])
  expect(seen()).toEqual(['rules path: a1', 'rules path: a1', 'rules path: a1'])
})

test('a call that has waited too long is never started, and the lane continues (R-5)', async () => {
  const { bet, end, seen, lanes } = openLane()
  const answers = [bet('a1')]
  await settled()
  answers.push(bet('b1', LIMITS.startMs + 1), bet('c1'))
  await end()
  await end()
  expect(seen()).toEqual(['fast path: a1', 'fast path: c1'])
  expect(await kindsOf(answers)).toEqual(['accepted', 'failed', 'accepted'])
  expect(lanes.depth()).toBe(0)
})

test('a call whose batch does not end is answered before its deadline, and the lane continues (W-20)', async () => {
  const { bet, end, lanes } = openLane()
  const answers = [bet('a1')]
  const received: string[] = []
  void answers[0]?.then(({ kind }) => received.push(kind))
  await settled()
  time.pass(LIMITS.giveUpMs - SWEEP_MS)
  await settled()
  expect(received).toEqual([])
  time.pass(SWEEP_MS)
  await settled()
  expect(received).toEqual(['failed'])
  answers.push(bet('b1'))
  await end().then(() => end())
  expect(await kindsOf(answers)).toEqual(['failed', 'accepted'])
  expect(lanes.depth()).toBe(0)
})

test('the deadline sweep runs again after a period without calls (W-20)', async () => {
  const { bet, end } = openLane()
  const first = bet('a1')
  await settled()
  await end()
  time.pass(2 * SWEEP_MS)
  const second = bet('b1')
  await settled()
  time.pass(LIMITS.giveUpMs)
  expect(await kindsOf([first, second])).toEqual(['accepted', 'failed'])
})

test('a call that arrived late after younger calls is rejected by the next sweep (R-5)', async () => {
  const { bet, end } = openLane()
  const first = bet('a1')
  await settled()
  const [young, behind] = [bet('b1'), bet('c1', LIMITS.startMs + 1)]
  time.pass(SWEEP_MS)
  expect(await kindsOf([behind])).toEqual(['failed'])
  await end().then(() => end())
  expect(await kindsOf([first, young])).toEqual(['accepted', 'accepted'])
})

test('a call at the front keeps its place before a later call of its player that did not fit the batch', async () => {
  const { bet, end, seen } = openLane()
  const others = Array.from({ length: 254 }, (_, i) => `${String.fromCharCode(0x4e00 + i)}1`)
  const answers = ['a1', 'a2', ...others, 'a3'].map((id) => bet(id))
  await settled()
  for (let batch = 0; batch < 3; batch++) await end()
  expect(seen().slice(1)).toEqual(['fast path: a2', 'fast path: a3'])
  expect(await Promise.all(answers)).toHaveLength(257)
})
