/** The admission queue starts or fails each call in time, and holds a bounded number of calls. */
import { replaceEnvironment } from '@purser/runtime/environment'
import { expect, test } from 'vitest'
import { AdmissionQueue } from '../../src/core/partner-wire/admission-queue.ts'
import type { Finishing } from '../support/fault-scene.ts'

/** A queue whose clock stands still between the steps of the test. */
function openQueue({ onTestFinished }: Finishing) {
  let now = 1_000
  let check: (() => void) | undefined
  const once = (run: () => void) => {
    check = run
  }
  const setTimer = (_milliseconds: number, run: () => void) => {
    once(run)
    return () => {}
  }
  onTestFinished(replaceEnvironment({ monotonicNow: () => now, nextTurn: once, setTimer }))
  const queue = new AdmissionQueue({ usefulWaitMs: 2_000, maxWaitMs: 4_000 })
  let room = 0
  queue.addCapacity(() => room)
  const log: string[] = []
  const admit = (name: string, { arrivedAt = now, isAbandoned = false } = {}) =>
    queue.admit({
      ...{ arrivedAt, isAbandoned: () => isAbandoned },
      start: () => Math.sign(log.push(`${name} started`)),
      fail: () => Math.sign(log.push(`${name} failed`)),
    })
  const pass = (milliseconds: number, capacity = 0) => {
    now += milliseconds
    room = capacity
    const run = check
    check = undefined
    run?.()
    return log.splice(0)
  }
  return { queue, admit, pass, log }
}

test('the oldest calls start first, as many as there is capacity', (context) => {
  const { admit, pass } = openQueue(context)
  for (const name of ['a', 'b', 'c']) admit(name)
  expect(pass(4, 2)).toEqual(['a started', 'b started'])
  expect(pass(4, 2)).toEqual(['c started'])
})

test('a call that has waited too long does not start, and younger calls start', (context) => {
  const { admit, pass } = openQueue(context)
  admit('old')
  pass(1_500)
  admit('young')
  expect(pass(501, 5)).toContain('young started')
  expect(pass(10, 5)).toEqual([])
  expect(pass(1_990, 5)).toEqual(['old failed'])
})

test('calls that arrive together fail evenly, and each before its deadline', (context) => {
  const { queue, admit, pass } = openQueue(context)
  const count = 10_000
  for (let i = 0; i < count; i++) admit(`${i}`)
  for (let step = 0; step < 200; step++) expect(pass(10)).toEqual([])
  const failed = Array.from({ length: 201 }, () => pass(10).length)
  expect(queue.size).toBe(0)
  expect(failed.reduce((sum, some) => sum + some, 0)).toBe(count)
  expect(Math.max(...failed)).toBeLessThan((2 * count) / failed.length)
})

test('a call whose caller has gone is dropped', (context) => {
  const { queue, admit, pass } = openQueue(context)
  admit('gone', { isAbandoned: true })
  admit('next')
  expect(pass(4, 5)).toEqual(['next started'])
  expect(queue.size).toBe(0)
})

test('a call that took long to arrive fails before younger calls', (context) => {
  const { admit, pass } = openQueue(context)
  admit('first')
  pass(100)
  admit('slow', { arrivedAt: -500 })
  expect(pass(2_000)).toEqual(['slow failed', 'first failed'])
})
