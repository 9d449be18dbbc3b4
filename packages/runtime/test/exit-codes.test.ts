/** The text of an error begins with the name of the program that failed. */
import { expect, test } from 'vitest'
import { toExitStatus } from '../src/command/exit-codes.ts'
import { UnavailableError, UsageError } from '../src/errors/cli-errors.ts'

test.each([
  ['a usage error', new UsageError('--pace is wrong'), 2, 'purser-conformance: --pace is wrong'],
  ['a target that does not answer', new UnavailableError('it is down'), 3, 'purser-conformance: it is down'],
  ['a full disk', Object.assign(new Error('write'), { code: 'ENOSPC' }), 3, 'purser-conformance: a file cannot be'],
  ['a defect', new TypeError('x is undefined'), 70, 'purser-conformance: a defect of this program'],
])('%s names the program and has its own exit code', (_what, error, code, text) => {
  expect(toExitStatus(error, 'purser-conformance')).toEqual({ code, text: expect.stringContaining(text) })
})
