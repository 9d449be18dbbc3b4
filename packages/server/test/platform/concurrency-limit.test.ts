/** The limit of concurrent calls to a partner follows its latency, up to a configured maximum. */
import { expect, test } from 'vitest'
import { createConcurrencyLimit } from '../../src/platform/concurrency-limit.ts'

const BOUND = 512

/**
 * The size of a limit that is always reached. The latency of a call depends on the calls in
 * progress and on the earlier answers.
 */
function sizeAfter(answers: number, latencyOf: (underWay: number, before: number) => number, bound = BOUND): number {
  const window = createConcurrencyLimit(bound)
  for (let before = 0; before < answers; before++) {
    const latencyMs = latencyOf(window.size(), before)
    window.sent(window.size(), before)
    window.answered(latencyMs, before + latencyMs)
  }
  return window.size()
}

test('the limit grows for a partner with a high latency, up to its maximum', () => {
  expect(sizeAfter(5_000, () => 100)).toBe(BOUND)
})

test('the limit does not grow for a partner that handles calls one by one and slows down with more of them', () => {
  expect(sizeAfter(5_000, (underWay, before) => Math.min(underWay, before + 1))).toBe(64)
})

test('the limit adapts to a partner whose latency has increased', () => {
  expect(sizeAfter(90_000, (_underWay, before) => (before < 100 ? 1 : 200))).toBe(BOUND)
})

test('a limit that is never reached does not grow', () => {
  const window = createConcurrencyLimit(BOUND)
  for (let at = 0; at < 5_000; at++) {
    window.sent(10, at)
    window.answered(5, at)
  }
  expect(window.size()).toBe(64)
})

test('calls without an answer halve the limit, down to the minimum for every partner', () => {
  const window = createConcurrencyLimit(BOUND)
  for (let at = 0; at < 5_000; at++) {
    window.sent(window.size(), at)
    window.answered(100, at)
  }
  window.unanswered()
  expect(window.size()).toBe(BOUND / 2)
  for (let i = 0; i < 9; i++) window.unanswered()
  expect(window.size()).toBe(64)
})

test('a maximum below that minimum is kept', () => {
  expect(sizeAfter(1_000, () => 100, 8)).toBe(8)
})
