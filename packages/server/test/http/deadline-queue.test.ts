/** Entries leave the deadline queue in the right order and in time. */
import { expect, test } from 'vitest'
import { DeadlineQueue } from '../../src/core/partner-wire/deadline-queue.ts'

const DEADLINES = { minWaitMs: 500, usefulWaitMs: 2_000, maxWaitMs: 4_500 }

function lineOf(names: string[], now = 0): DeadlineQueue<string> {
  const line = new DeadlineQueue<string>(DEADLINES)
  line.enqueueAll(names, now)
  return line
}

function allDue(line: DeadlineQueue<string>, now: number): string[] {
  const due: string[] = []
  for (let next = line.takeDue(now); next; next = line.takeDue(now)) due.push(next[0])
  return due
}

test('the first entry is taken first while it can still meet its deadline', () => {
  const line = lineOf(['a', 'b', 'c'])
  expect(line.takeInTime(10)?.[0]).toBe('a')
  expect(line.takeInTime(2_000)).toEqual(['b', expect.objectContaining({ since: 0 })])
  expect(line.takeInTime(2_001)).toBeUndefined()
  expect(line.size).toBe(1)
})

test('a later entry is taken when the first entry can no longer meet its deadline', () => {
  const line = lineOf(['early'])
  line.enqueue('later', 1_500)
  expect(line.takeInTime(3_000)?.[0]).toBe('later')
  expect(line.has('early')).toBe(true)
})

test('entries that arrive at once are taken evenly, and each within its time', () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `${i}`)
  const line = lineOf(names)
  const taken = Array.from({ length: 45 }, (_, i) => allDue(line, (i + 1) * 100))
  expect(taken.flat()).toEqual(names)
  expect(taken.slice(0, 5).flat()).toEqual([])
  for (const some of taken.slice(5)) expect(Math.abs(some.length - 25)).toBeLessThanOrEqual(1)
})

test('an entry that is enqueued again and again is taken once in its time, and many entries stay spread', () => {
  const names = Array.from({ length: 100 }, (_, i) => `${i}`)
  const line = lineOf(names)
  const taken: string[][] = []
  for (let now = 0; now < 45_500; now += 500) {
    taken.push(allDue(line, now))
    for (const name of taken.at(-1) ?? []) line.enqueue(name, now)
  }
  for (const name of names) expect(taken.flat().filter((one) => one === name)).toHaveLength(10)
  expect(Math.max(...taken.map((some) => some.length))).toBeLessThanOrEqual(13)
})

test('a removed entry is never taken', () => {
  const line = lineOf(['a', 'b', 'c'])
  line.takeInTime(0)
  line.remove('b')
  expect(allDue(line, 4_500)).toEqual(['c'])
  expect(line.size).toBe(0)
})
