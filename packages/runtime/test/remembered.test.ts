/** Concurrent callers of a cache share one query, and its result is reused for a limited time. */
import { expect, test } from 'vitest'
import { cacheFor } from '../src/async/single-flight-cache.ts'

const KEEP_MS = 5_000

/** A cached query; the test supplies the results and moves the clock. */
function question() {
  const asked: { answer(value: number): void; fail(): void }[] = []
  let now = 0
  const ask = cacheFor(
    () =>
      new Promise<number>((resolve, reject) => asked.push({ answer: resolve, fail: () => reject(new Error('no')) })),
    KEEP_MS,
    () => now,
  )
  const advance = (milliseconds: number) => {
    now += milliseconds
  }
  return { ask, asked, advance }
}

test('the cache answers all callers during a query with its result', async () => {
  const { ask, asked } = question()
  const answers = Array.from({ length: 32 }, ask)
  asked[0]?.answer(7)
  expect(await Promise.all(answers)).toEqual(Array(32).fill(7))
  expect(asked).toHaveLength(1)
})

test('the cache keeps a value until it expires', async () => {
  const { ask, asked, advance } = question()
  const first = ask()
  asked[0]?.answer(7)
  await first
  advance(KEEP_MS - 1)
  expect(await ask()).toBe(7)
  advance(1)
  const second = ask()
  asked[1]?.answer(8)
  expect(await second).toBe(8)
  expect(asked).toHaveLength(2)
})

test('the cache reports a failure to all callers that wait for it and to no later caller', async () => {
  const { ask, asked } = question()
  const failing = [ask(), ask()]
  asked[0]?.fail()
  for (const answer of failing) await expect(answer).rejects.toThrow('no')
  const next = ask()
  asked[1]?.answer(7)
  expect(await next).toBe(7)
})
