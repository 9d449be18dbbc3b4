import { expect, test } from 'vitest'
import { createLru } from '../src/lru-cache.ts'

test('the LRU cache keeps the entries that are read, drops the others, and never exceeds its limit', () => {
  const limit = 100
  const lru = createLru<number>(limit)
  lru.set('asked', 1)
  lru.set('not asked', 2)
  for (let i = 0; i < 10 * limit; i++) {
    lru.set(`other-${i}`, i)
    expect(lru.get('asked')).toBe(1)
  }
  expect(lru.get('not asked')).toBeUndefined()
  const kept = Array.from({ length: 10 * limit }, (_, i) => `other-${i}`).filter((key) => lru.get(key) !== undefined)
  expect(kept.length).toBeGreaterThanOrEqual(limit / 2 - 1)
  expect(kept.length).toBeLessThan(limit)
})

test('the LRU cache keeps the last value of a key that it already has', () => {
  const lru = createLru<number>(4)
  for (const value of [1, 2, 3]) {
    lru.set('a', value)
    lru.set(`other-${value}`, 0)
    expect(lru.get('a')).toBe(value)
  }
})

test('the LRU cache removes a deleted entry at any position and lists each remaining entry once', () => {
  const lru = createLru<number, bigint>(4)
  for (const key of [1n, 2n, 3n]) lru.set(key, 0)
  lru.set(1n, 1)
  expect([...lru.entries()].sort()).toEqual([
    [1n, 1],
    [2n, 0],
    [3n, 0],
  ])
  for (const key of [1n, 3n]) lru.delete(key)
  expect([...lru.entries()]).toEqual([[2n, 0]])
  expect(lru.get(1n)).toBeUndefined()
})
