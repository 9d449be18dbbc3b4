/** A simulation can replace clocks, timers and randomness, and restore them. */
import { afterEach, expect, test } from 'vitest'
import { standStill } from '../../server/test/support/still-world.ts'
import { nextTurn, sleep } from '../src/async/sleep.ts'
import { timeoutSignal, withTimeout } from '../src/async/timeouts.ts'
import { systemClock } from '../src/clock.ts'
import { environment, replaceEnvironment } from '../src/environment.ts'

let giveBack = () => {}
afterEach(() => giveBack())

function still() {
  const time = standStill()
  giveBack = time.giveBack
  return time
}

const HOUR_MS = 3_600_000

test('in a simulation an hour passes at once, for clocks, pauses, time-outs and limits', async () => {
  const time = still()
  const paused = sleep(HOUR_MS)
  const late = withTimeout(new Promise(() => {}), HOUR_MS, () => 'late')
  const { signal } = timeoutSignal(HOUR_MS)
  time.pass(HOUR_MS - 1)
  expect([signal.aborted, time.waiting()]).toEqual([false, 3])
  time.pass(1)
  await paused
  expect([await late, signal.reason.name, time.waiting()]).toEqual(['late', 'TimeoutError', 0])
  expect(systemClock.now()).toEqual(new Date(HOUR_MS))
})

test('a pause ends with its abort signal, and leaves no timer', async () => {
  const time = standStill()
  const ended = new AbortController()
  const paused = sleep(HOUR_MS, ended.signal)
  expect(time.waiting()).toBe(1)
  ended.abort()
  await paused
  await sleep(HOUR_MS, ended.signal)
  expect(time.waiting()).toBe(0)
})

test('repeated work is executed each time that it is due, in order with other work', () => {
  const time = still()
  const done: string[] = []
  const cancel = environment.setRepeatingTimer(100, () => done.push(`every at ${environment.monotonicNow()}`))
  environment.setTimer(150, () => done.push(`once at ${environment.monotonicNow()}`))
  time.pass(250)
  cancel()
  time.pass(HOUR_MS)
  expect([done, time.waiting()]).toEqual([['every at 100', 'once at 150', 'every at 200'], 0])
})

test('the environment is the real one again after a restore', async () => {
  const before = { ...environment }
  giveBack = replaceEnvironment({ random: () => 0.5, uuid: () => 'an id', now: () => 0 })
  expect([environment.random(), environment.uuid(), environment.now()]).toEqual([0.5, 'an id', 0])
  giveBack()
  expect({ ...environment }).toEqual(before)
  await nextTurn()
  expect([environment.uuid().length, Math.sign(environment.now()), environment.random() < 1]).toEqual([36, 1, true])
})
