/** How many calls go to a partner at once follows its latency, up to the setting's bound. */
import { expect, test } from 'vitest'
import { createConcurrencyLimit } from '../../src/platform/concurrency-limit.ts'

const BOUND = 512

/** Full all the time; the latency of each call depends on how many are under way and on how many were answered before. */
function sizeAfter(answers: number, latencyOf: (underWay: number, before: number) => number, bound = BOUND): number {
  const window = createConcurrencyLimit(bound)
  for (let before = 0; before < answers; before++) {
    const latencyMs = latencyOf(window.size(), before)
    window.sent(window.size(), before)
    window.answered(latencyMs, before + latencyMs)
  }
  return window.size()
}

test('a partner that is far away gets more calls at once, up to the bound', () => {
  expect(sizeAfter(5_000, () => 100)).toBe(BOUND)
})

test('one that takes one call after the other, and gets slower by more of them, does not', () => {
  expect(sizeAfter(5_000, (underWay, before) => Math.min(underWay, before + 1))).toBe(64)
})

test('one that has moved farther away is given time for its answers again', () => {
  expect(sizeAfter(90_000, (_underWay, before) => (before < 100 ? 1 : 200))).toBe(BOUND)
})

test('a window that is never full does not grow', () => {
  const window = createConcurrencyLimit(BOUND)
  for (let at = 0; at < 5_000; at++) {
    window.sent(10, at)
    window.answered(5, at)
  }
  expect(window.size()).toBe(64)
})

test('calls without an answer halve it, and never below what every partner is trusted with', () => {
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

test('a bound below that is kept', () => {
  expect(sizeAfter(1_000, () => 100, 8)).toBe(8)
})
