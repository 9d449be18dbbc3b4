/** From why the platform says no to the answer: the route has nothing to add. */
import { expect, test } from 'vitest'
import { toProblem } from '../../src/http/problem.ts'
import { orProblem } from '../../src/platform/api/refused.ts'
import { invalidAt, noSuch, refused } from '../../src/platform/refusal.ts'
import { Full } from '../../src/runtime/batches.ts'

test.each([
  [noSuch('the bet'), { status: 404, code: 'not_found', message: 'the bet does not exist', errors: [] }],
  [refused('not_possible', 'why'), { status: 409, code: 'not_possible', message: 'why', errors: [] }],
  [refused('partner_failed', 'why'), { status: 502, code: 'partner_failed', message: 'why', errors: [] }],
  [
    invalidAt('/amount', 'why'),
    {
      status: 400,
      code: 'invalid_request',
      message: 'the request is not valid',
      errors: [{ pointer: '/amount', detail: 'why' }],
    },
  ],
])('%o is thrown as its problem', (refusal, problem) => {
  expect(() => orProblem(refusal)).toThrow(expect.objectContaining(problem))
})

test.each([undefined, null, 'text', {}, { kind: 'other' }])('%o is no refusal', (outcome) => {
  expect(orProblem(outcome)).toBe(outcome)
})

test('what is not begun because too much waits is answered as busy', () => {
  expect(toProblem(new Full())).toMatchObject({ status: 503, code: 'busy' })
})
