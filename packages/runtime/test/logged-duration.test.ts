import { expect, test } from 'vitest'
import { toLoggedMs } from '../src/logged-duration.ts'

test.each([
  [12.39, 12.3],
  [0.04, 0],
  [1_000.999, 1_000.9],
])('the log shows a call of %s ms as %s ms', (milliseconds, logged) => {
  expect(toLoggedMs(milliseconds)).toBe(logged)
})
