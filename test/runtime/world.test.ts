/** The world can be taken over: what waits, waits in its time; what is drawn, is drawn from it. And it is given back. */
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { inTime } from '../../src/runtime/in-time.ts'
import { nextTurn, pause } from '../../src/runtime/pause.ts'
import { timeLimit } from '../../src/runtime/time-out.ts'
import { takeOver, world } from '../../src/runtime/world.ts'
import { standStill } from '../support/still-world.ts'

let giveBack = () => {}
afterEach(() => giveBack())

function still() {
  const time = standStill()
  giveBack = time.giveBack
  return time
}

const HOUR_MS = 3_600_000

test('an hour passes at once, for clocks, pauses, time-outs and limits', async () => {
  const time = still()
  const paused = pause(HOUR_MS)
  const late = inTime(new Promise(() => {}), HOUR_MS, () => 'late')
  const { signal } = timeLimit(HOUR_MS)
  time.pass(HOUR_MS - 1)
  expect([signal.aborted, time.waiting()]).toEqual([false, 3])
  time.pass(1)
  await paused
  expect([await late, signal.reason.name, time.waiting()]).toEqual(['late', 'TimeoutError', 0])
  expect(systemClock.now()).toEqual(new Date(HOUR_MS))
})

test('a pause ends with its signal, and leaves no timer behind', async () => {
  const time = standStill()
  const ended = new AbortController()
  const paused = pause(HOUR_MS, ended.signal)
  expect(time.waiting()).toBe(1)
  ended.abort()
  await paused
  await pause(HOUR_MS, ended.signal)
  expect(time.waiting()).toBe(0)
})

test('what is done again and again is done each time that it is due, in order with all else', () => {
  const time = still()
  const done: string[] = []
  const cancel = world.every(100, () => done.push(`every at ${world.elapsed()}`))
  world.after(150, () => done.push(`once at ${world.elapsed()}`))
  time.pass(250)
  cancel()
  time.pass(HOUR_MS)
  expect([done, time.waiting()]).toEqual([['every at 100', 'once at 150', 'every at 200'], 0])
})

test('the world that is given back is the real one', async () => {
  const before = { ...world }
  giveBack = takeOver({ chance: () => 0.5, uuid: () => 'an id', wall: () => 0 })
  expect([world.chance(), world.uuid(), world.wall()]).toEqual([0.5, 'an id', 0])
  giveBack()
  expect({ ...world }).toEqual(before)
  await nextTurn()
  expect([world.uuid().length, Math.sign(world.wall()), world.chance() < 1]).toEqual([36, 1, true])
})
