/** The world can be taken over: what waits, waits in its time; what is drawn, is drawn from it. And it is given back. */
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { inTime } from '../../src/runtime/in-time.ts'
import { nextTurn, pause } from '../../src/runtime/pause.ts'
import { timeLimit } from '../../src/runtime/time-out.ts'
import { takeOver, world } from '../../src/runtime/world.ts'

let giveBack = () => {}
afterEach(() => giveBack())

/** Time that passes when it is told to. */
function standStill() {
  let now = 0
  const waiting = new Map<() => void, number>()
  giveBack = takeOver({
    wall: () => now,
    elapsed: () => now,
    after(milliseconds, run) {
      waiting.set(run, now + milliseconds)
      return () => void waiting.delete(run)
    },
  })
  const pass = (milliseconds: number) => {
    now += milliseconds
    for (const [run, at] of waiting) if (at <= now && waiting.delete(run)) run()
  }
  return { pass, waiting: () => waiting.size }
}

const HOUR_MS = 3_600_000

test('an hour passes at once, for clocks, pauses, time-outs and limits', async () => {
  const time = standStill()
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

test('the world that is given back is the real one', async () => {
  const before = { ...world }
  giveBack = takeOver({ chance: () => 0.5, uuid: () => 'an id', wall: () => 0 })
  expect([world.chance(), world.uuid(), world.wall()]).toEqual([0.5, 'an id', 0])
  giveBack()
  expect({ ...world }).toEqual(before)
  await nextTurn()
  expect([world.uuid().length, Math.sign(world.wall()), world.chance() < 1]).toEqual([36, 1, true])
})
