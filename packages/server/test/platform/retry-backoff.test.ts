/** The time of the next attempt of a delivery is right to the millisecond (C-4, C-5). */
import { expect, test } from 'vitest'
import {
  type BackoffState,
  computeNextAttempt,
  planAttempts,
  RESULT_WINDOW_MS,
  ROLLBACK_ATTEMPTS,
  ROLLBACK_WINDOW_MS,
} from '../../src/platform/delivery/retry-backoff.ts'

/** By default, an attempt that began now. */
function tried(attempts: number, now: number, over: Partial<BackoffState> = {}): BackoffState {
  return { attempts, now, lastAt: now, random: 0, ...over }
}

test('a rollback whose answers used up its six minutes has no other attempt, with any planned time', () => {
  expect(computeNextAttempt('rollback', tried(2, ROLLBACK_WINDOW_MS, { lastAt: 0 }))).toBe(ROLLBACK_WINDOW_MS)
  expect(computeNextAttempt('rollback', tried(2, ROLLBACK_WINDOW_MS + 1, { lastAt: 0 }))).toBeUndefined()
})

test('a rollback has its tenth attempt and no eleventh', () => {
  expect(computeNextAttempt('rollback', tried(ROLLBACK_ATTEMPTS - 1, 0))).toBeLessThanOrEqual(ROLLBACK_WINDOW_MS)
  expect(computeNextAttempt('rollback', tried(ROLLBACK_ATTEMPTS, 0, { random: 1 }))).toBeUndefined()
})

test('after a pause of the process a rollback keeps half of its planned gaps (C-4)', () => {
  const starts = [54_000] // the sixth attempt, planned at 21.7 s: the database was down for 32 s
  for (let attempts = 6; attempts < ROLLBACK_ATTEMPTS; attempts++) {
    const lastAt = starts.at(-1) ?? 0
    starts.push(computeNextAttempt('rollback', tried(attempts, lastAt)) ?? Number.NaN)
  }
  expect(starts).toEqual([54_000, 65_200, 88_900, 178_500, 357_700])
})

test('a rollback that is late at the end has fewer attempts, never several at once (C-4)', () => {
  expect(computeNextAttempt('rollback', tried(8, 300_000))).toBe(344_800)
  expect(computeNextAttempt('rollback', tried(9, 300_000))).toBeUndefined()
})

test('a result is retried while its window is open', () => {
  expect(computeNextAttempt('settle', tried(50, RESULT_WINDOW_MS - 60_000))).toBe(RESULT_WINDOW_MS)
  expect(computeNextAttempt('settle', tried(50, RESULT_WINDOW_MS - 59_999))).toBeUndefined()
})

test('the schedule of a rollback shows its next attempt and those within its six minutes (C-4)', () => {
  const planned = [700, 2_100, 4_900, 10_500, 21_700, 44_100, 88_900, 178_500, 357_700]
  expect(planAttempts('rollback', { attempts: 1, lastAt: 0, dueAt: undefined, now: 0 })).toEqual(planned)
  expect(planAttempts('rollback', { attempts: 8, lastAt: 88_900, dueAt: 178_000, now: 100_000 })).toEqual([
    178_000, 357_700,
  ])
  expect(
    planAttempts('rollback', { attempts: ROLLBACK_ATTEMPTS, lastAt: 357_700, dueAt: undefined, now: 358_000 }),
  ).toEqual([])
})

test('the schedule of a result covers six minutes, and at least the next attempt (C-5)', () => {
  expect(planAttempts('settle', { attempts: 9, lastAt: 240_000, dueAt: 250_000, now: 245_000 })).toEqual([
    250_000, 310_000,
  ])
  expect(planAttempts('settle', { attempts: 90, lastAt: 3_600_000, dueAt: 3_660_000, now: 3_610_000 })).toEqual([
    3_660_000,
  ])
})

test('attempts that are overdue because the partner is down are scheduled from now on (C-10)', () => {
  const overdue = { attempts: 5, lastAt: 12_000, dueAt: 20_000 }
  expect(planAttempts('settle', { ...overdue, now: 100_000 })[0]).toBe(100_000)
  expect(planAttempts('rollback', { ...overdue, now: 100_000 }).every((at) => at >= 100_000)).toBe(true)
  expect(planAttempts('settle', { ...overdue, now: 500_000 })).toEqual([500_000])
  expect(planAttempts('rollback', { ...overdue, now: 500_000 }), 'its six minutes are over').toEqual([])
})

test('Retry-After extends the gap of a result up to a minute, shortens none, and is ignored for a rollback (C-4, C-5)', () => {
  const after = (retryAfterMs: number, attempts = 1) => tried(attempts, 5_000, { retryAfterMs })
  expect(computeNextAttempt('settle', after(30_000))).toBe(35_000)
  expect(computeNextAttempt('unsettle', after(3_600_000))).toBe(65_000)
  expect(computeNextAttempt('settle', after(1_000, 6))).toBe(5_000 + 22_400)
  expect(computeNextAttempt('rollback', after(30_000, 3))).toBe(computeNextAttempt('rollback', after(0, 3)))
})
