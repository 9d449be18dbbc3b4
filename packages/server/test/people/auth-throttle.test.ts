/**
 * Wrong API keys are throttled by the caller's address with bounded memory, and a valid key never
 * waits (W-26).
 */
import { describe, expect, test } from 'vitest'
import { addressPrefix, FailedAuthThrottle, failureDelayMs, shouldLog } from '../../src/core/http/auth-throttle.ts'

/** A clock that does not advance, and waits that the test ends. */
function scene() {
  const waits: { milliseconds: number; end: () => void }[] = []
  const time = { now: 0 }
  const wait = (milliseconds: number) => new Promise<void>((end) => waits.push({ milliseconds, end }))
  return { waits, time, strangers: new FailedAuthThrottle(() => time.now, wait) }
}

test('the throttle answers twenty wrong keys at once, and delays each later one by up to a second', () => {
  expect([1, 20, 21, 22, 23, 25, 26, 1_000_000].map(failureDelayMs)).toEqual([0, 0, 50, 100, 200, 800, 1_000, 1_000])
})

test('the throttle resets an address after a minute without failures, and does not count a neighbour', () => {
  const { strangers: throttle, time } = scene()
  for (let i = 1; i <= 30; i++) expect(throttle.recordFailure('203.0.113.7')).toBe(i)
  expect(throttle.recordFailure('203.0.113.8')).toBe(1)
  time.now = 59_999
  expect(throttle.recordFailure('203.0.113.7')).toBe(31)
  time.now = 119_999
  expect(throttle.recordFailure('203.0.113.7')).toBe(1)
})

test('the throttle remembers a thousand addresses and forgets the oldest first', () => {
  const { strangers: throttle } = scene()
  for (let i = 0; i < 500; i++) throttle.recordFailure(`10.0.${i >> 8}.${i & 255}`)
  expect(throttle.recordFailure('10.0.0.0')).toBe(2)
  for (let i = 0; i < 1_000; i++) {
    throttle.recordFailure(`10.1.${i >> 8}.${i & 255}`)
    if (i % 400 === 0) throttle.recordFailure('10.0.0.0')
  }
  expect(throttle.recordFailure('10.0.0.0')).toBe(6)
  expect(throttle.recordFailure('10.0.0.1')).toBe(1)
})

test('the throttle delays a thousand answers at a time and no more', async () => {
  const { strangers: throttle, waits } = scene()
  const held = Array.from({ length: 1_000 }, () => throttle.delayResponse(40))
  await throttle.delayResponse(40)
  expect(waits).toHaveLength(1_000)
  for (const { end } of waits.splice(0)) end()
  await Promise.all(held)
  void throttle.delayResponse(40)
  expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([1_000])
})

test('the throttle logs ever fewer lines', () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => i + 1).filter(shouldLog)
  expect(lines.slice(0, 5)).toEqual([1, 2, 4, 8, 16])
  expect(lines.length).toBeLessThan(15)
})

describe('the throttle counts an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
  ])('%s as %s', (address, place) => expect(addressPrefix(address)).toBe(place))
})
