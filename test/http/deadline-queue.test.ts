/** In which order those who wait outside are heard, and when. */
import { expect, test } from 'vitest'
import { DeadlineQueue } from '../../src/http/deadline-queue.ts'

const PATIENCE = { minWaitMs: 500, usefulWaitMs: 2_000, maxWaitMs: 4_500 }

function lineOf(names: string[], now = 0): DeadlineQueue<string> {
  const line = new DeadlineQueue<string>(PATIENCE)
  line.enqueueAll(names, now)
  return line
}

function allDue(line: DeadlineQueue<string>, now: number): string[] {
  const due: string[] = []
  for (let next = line.takeDue(now); next; next = line.takeDue(now)) due.push(next[0])
  return due
}

test('where there is room, the first comes first, as long as a yes can come in time', () => {
  const line = lineOf(['a', 'b', 'c'])
  expect(line.takeInTime(10)?.[0]).toBe('a')
  expect(line.takeInTime(2_000)).toEqual(['b', expect.objectContaining({ since: 0 })])
  expect(line.takeInTime(2_001)).toBeUndefined()
  expect(line.size).toBe(1)
})

test('who came later can still get a yes when the first ones no longer can', () => {
  const line = lineOf(['early'])
  line.enqueue('later', 1_500)
  expect(line.takeInTime(3_000)?.[0]).toBe('later')
  expect(line.has('early')).toBe(true)
})

test('a crowd that comes at once is heard evenly, and everybody within the time', () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `${i}`)
  const line = lineOf(names)
  const heard = Array.from({ length: 45 }, (_, i) => allDue(line, (i + 1) * 100))
  expect(heard.flat()).toEqual(names)
  expect(heard.slice(0, 5).flat()).toEqual([])
  for (const some of heard.slice(5)) expect(Math.abs(some.length - 25)).toBeLessThanOrEqual(1)
})

test('who waits on and on is heard once in that time, and a crowd stays apart', () => {
  const names = Array.from({ length: 100 }, (_, i) => `${i}`)
  const line = lineOf(names)
  const heard: string[][] = []
  for (let now = 0; now < 45_500; now += 500) {
    heard.push(allDue(line, now))
    for (const name of heard.at(-1) ?? []) line.enqueue(name, now)
  }
  for (const name of names) expect(heard.flat().filter((one) => one === name)).toHaveLength(10)
  expect(Math.max(...heard.map((some) => some.length))).toBeLessThanOrEqual(13)
})

test('who has left is not heard', () => {
  const line = lineOf(['a', 'b', 'c'])
  line.takeInTime(0)
  line.remove('b')
  expect(allDue(line, 4_500)).toEqual(['c'])
  expect(line.size).toBe(0)
})
