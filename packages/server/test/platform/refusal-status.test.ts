/** Every route of the platform API converts rejections to HTTP answers in the same way. */

import { QueueFullError } from '@purser/runtime/async/batcher'
import { expect, test } from 'vitest'
import { toProblem } from '../../src/core/http/api/problem-details.ts'
import { orThrowProblem } from '../../src/platform/api/refusal-status.ts'
import { toInvalidRequest, toNotFound, toRefusal } from '../../src/platform/platform-refusal.ts'

test.each([
  [toNotFound('the bet'), { status: 404, code: 'not_found', message: 'the bet does not exist', errors: [] }],
  [toRefusal('not_possible', 'why'), { status: 409, code: 'not_possible', message: 'why', errors: [] }],
  [toRefusal('partner_failed', 'why'), { status: 502, code: 'partner_failed', message: 'why', errors: [] }],
  [
    toInvalidRequest('/amount', 'why'),
    {
      status: 400,
      code: 'invalid_request',
      message: 'the request is not valid',
      errors: [{ pointer: '/amount', detail: 'why' }],
    },
  ],
])('the refusal %o is thrown as its problem', (refusal, problem) => {
  expect(() => orThrowProblem(refusal)).toThrow(expect.objectContaining(problem))
})

test.each([undefined, null, 'text', {}, { kind: 'other' }])('the value %o is no refusal', (outcome) => {
  expect(orThrowProblem(outcome)).toBe(outcome)
})

test('work that does not start because the queue is full is answered as busy', () => {
  expect(toProblem(new QueueFullError())).toMatchObject({ status: 503, code: 'busy' })
})
