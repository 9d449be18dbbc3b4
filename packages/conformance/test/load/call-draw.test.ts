/**
 * The load test draws calls by the requested mix and players by Zipf's law, and starts each call at
 * its scheduled time.
 */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import { createRandom } from '@purser/runtime/seeded-random'
import { describe, expect, test } from 'vitest'
import { CALL_KINDS, drawCallKind, formatCallMix, parseCallMix } from '../../src/load/call-mix.ts'
import { createBoundedPool } from '../../src/load/worker/bounded-pool.ts'
import {
  computeDueTime,
  countDueCalls,
  type OpenLoopSchedule,
  runSchedule,
} from '../../src/load/worker/open-loop-schedule.ts'
import { createZipfDraw } from '../../src/load/zipf-distribution.ts'

describe('the mix of calls', () => {
  test('is parsed, drawn by its weights, and printed again', () => {
    const mix = parseCallMix('settle=1, place=3')
    expect(formatCallMix(mix)).toBe('place=3,settle=1')
    const random = createRandom(1, 'mix')
    const drawn = Array.from({ length: 4_000 }, () => drawCallKind(mix, random))
    const shares = CALL_KINDS.map((kind) => drawn.filter((one) => one === kind).length / 1_000)
    expect(shares).toEqual([expect.closeTo(3, 0), expect.closeTo(1, 0), 0, 0, 0])
  })

  test.each([
    ['', 'is not of this form'],
    ['place', 'is not of this form'],
    ['place=-1', 'is not of this form'],
    ['place=0.5', 'is not of this form'],
    ['place=1,win=2', 'no such operation: win'],
    ['place=1,place=2', 'is listed twice'],
    ['settle=2', 'place is missing'],
    ['place=1,resettle=2', 'resettle needs settle'],
  ])('rejects %j as a usage error', (text, why) => {
    expect(() => parseCallMix(text)).toThrow(UsageError)
    expect(() => parseCallMix(text)).toThrow(why)
  })
})

describe('the players of a load test', () => {
  test('are drawn by Zipf’s law: the second half as often as the first, and the same with the same seed', () => {
    const draw = createZipfDraw(100, 1)
    const drawAll = () => {
      const random = createRandom(7, 'players')
      return Array.from({ length: 20_000 }, () => draw(random))
    }
    const drawn = drawAll()
    const times = (place: number) => drawn.filter((one) => one === place).length
    expect(times(0) / times(1)).toBeCloseTo(2, 0)
    expect(times(0) / times(9)).toBeGreaterThan(7)
    expect(Math.max(...drawn)).toBe(99)
    expect(drawAll()).toEqual(drawn)
  })

  test('are drawn equally with an exponent of 0, and a single player is drawn always', () => {
    const random = createRandom(1, 'players')
    const alike = createZipfDraw(4, 0)
    const drawn = Array.from({ length: 4_000 }, () => alike(random))
    for (const place of [0, 1, 2, 3]) expect(drawn.filter((one) => one === place).length / 1_000).toBeCloseTo(1, 0)
    expect(createZipfDraw(1, 1)(random)).toBe(0)
  })
})

test('a pool returns each item once, and drops one when it is full', () => {
  const random = createRandom(1, 'pool')
  const pool = createBoundedPool<number>(3)
  for (const item of [1, 2, 3]) pool.put(item, random)
  const taken = [pool.take(random), pool.take(random), pool.take(random)]
  expect(taken.toSorted()).toEqual([1, 2, 3])
  expect([pool.take(random), pool.size()]).toEqual([undefined, 0])
  for (const item of [1, 2, 3, 4]) pool.put(item, random)
  expect(pool.size()).toBe(3)
})

describe('the schedule of calls', () => {
  const schedule: OpenLoopSchedule = { rate: 300, durationMs: 1_000, worker: 0, workers: 2, connections: 1 }

  test('of several workers adds up to the rate, with each call at its time', () => {
    const of = (worker: number) => ({ ...schedule, worker })
    expect([countDueCalls(of(0), 1_000), countDueCalls(of(1), 1_000)]).toEqual([150, 150])
    expect([computeDueTime(of(0), 0), computeDueTime(of(1), 0), computeDueTime(of(0), 1)]).toEqual([
      0,
      1_000 / 300,
      2_000 / 300,
    ])
    expect([countDueCalls(of(0), 0), countDueCalls(of(1), 3), countDueCalls(of(1), 4)]).toEqual([0, 0, 1])
  })

  test('continues while a call occupies the only connection: waiting calls keep their due times', async () => {
    const stop = new AbortController()
    const dues: number[] = []
    const begin = async (due: number) => {
      dues.push(due)
      if (dues.length === 1) while (performance.now() - due < 20) await new Promise(setImmediate)
      if (dues.length === 5) stop.abort()
    }
    const { begun } = await runSchedule({ ...schedule, workers: 1, durationMs: 60_000 }, begin, stop.signal)
    expect(begun).toBe(dues.length)
    const [first = 0] = dues
    expect(dues.slice(0, 4).map((due) => due - first)).toEqual(
      [0, 1, 2, 3].map((call) => expect.closeTo((call * 10) / 3, 6)),
    )
  })

  test('reports the number of calls that were due and never sent', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const kept = runSchedule(
      { ...schedule, workers: 1, rate: 1_000, durationMs: 30 },
      () => held,
      new AbortController().signal,
    )
    const start = performance.now()
    // The timer fires in one of these ten turns after the end.
    for (let turns = 0; turns < 10; ) {
      await new Promise(setImmediate)
      if (performance.now() - start > 40) turns++
    }
    release()
    expect(await kept).toEqual({ begun: 1, unsent: 29 })
  })

  test('loses no call that became due while a late one was started', async () => {
    const afterStart: number[] = []
    const begin = async (due: number, at: number) => {
      while (performance.now() - due < 60); // blocks, like a thread that gets no CPU
      afterStart.push(at)
    }
    const late = { ...schedule, workers: 1, rate: 100, durationMs: 50, connections: 10 }
    expect(await runSchedule(late, begin, new AbortController().signal)).toEqual({ begun: 5, unsent: 0 })
    expect(afterStart).toEqual([0, 10, 20, 30, 40])
  })
})
