/**
 * The limits equal the limits of the interface, and a late call fails before its caller times out.
 */
import { expect, test } from 'vitest'
import { answerDeadline, LIMITS, startDeadline } from '../src/wire-limits.ts'

test('the limits are those of the interface', () => {
  expect(LIMITS).toMatchObject({
    answerMs: 5_000,
    token: { minLength: 10, maxLength: 64 },
    userId: { minLength: 1, maxLength: 64 },
    requestId: { minLength: 10, maxLength: 64 },
    transactionId: { minLength: 10, maxLength: 36 },
    currency: { minLength: 3, maxLength: 5 },
    amountDigits: 15,
  })
})

test('a call may start until 4 s after its arrival and is failed at 4.75 s, before the caller gives up at 5 s', () => {
  const arrivedAt = 1_000
  const deadlines = [startDeadline(arrivedAt), answerDeadline(arrivedAt), arrivedAt + LIMITS.answerMs]
  expect(deadlines).toEqual([5_000, 5_750, 6_000])
})
