/** When there is another attempt, to the millisecond (C-4, C-5). */
import { expect, test } from 'vitest'
import { nextAttemptAt, RESULT_WINDOW_MS, ROLLBACK_ATTEMPTS, ROLLBACK_WINDOW_MS } from '../../src/platform/schedule.ts'

test('a rollback whose answers took its six minutes has no other attempt, however early the next one was planned', () => {
  expect(nextAttemptAt('rollback', 2, ROLLBACK_WINDOW_MS, 0)).toBe(ROLLBACK_WINDOW_MS)
  expect(nextAttemptAt('rollback', 2, ROLLBACK_WINDOW_MS + 1, 0)).toBeUndefined()
})

test('a rollback has its tenth attempt and no eleventh', () => {
  expect(nextAttemptAt('rollback', ROLLBACK_ATTEMPTS - 1, 0, 0)).toBeLessThanOrEqual(ROLLBACK_WINDOW_MS)
  expect(nextAttemptAt('rollback', ROLLBACK_ATTEMPTS, 0, 1)).toBeUndefined()
})

test('a result is tried as long as its window is open', () => {
  expect(nextAttemptAt('settle', 50, RESULT_WINDOW_MS - 60_000, 0)).toBe(RESULT_WINDOW_MS)
  expect(nextAttemptAt('settle', 50, RESULT_WINDOW_MS - 59_999, 0)).toBeUndefined()
})
