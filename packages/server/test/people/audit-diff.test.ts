/** The changes in an audit entry name only members that differ, and never a secret. */
import { expect, test } from 'vitest'
import { diffViews } from '../../src/core/auth/audit-log/audit-diff.ts'

test.each([
  ['equal views', { a: 1, b: { c: [1] } }, { a: 1, b: { c: [1] } }, {}, {}],
  ['a value', { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 2 }, { b: 3 }],
  ['a member that came', {}, { a: null }, {}, { a: null }],
  ['a member that went', { a: false }, {}, { a: false }, {}],
  ['a member of a member', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 2 } }, { a: { c: 3 } }],
  ['an object for a value', { a: 1 }, { a: { b: 1 } }, { a: 1 }, { a: { b: 1 } }],
  ['a list, as a whole', { a: [1, 2] }, { a: [1, 3] }, { a: [1, 2] }, { a: [1, 3] }],
  ['a secret', { secret: 'x' }, { secret: 'y' }, { secret: '***' }, { secret: '***' }],
  [
    'a password in an address',
    { baseUrl: 'http://a' },
    { baseUrl: 'https://me:pass:word@b/c' },
    { baseUrl: 'http://a' },
    { baseUrl: 'https://me:***@b/c' },
  ],
  ['a secret that is as it was', { secret: 'x' }, { secret: 'x' }, {}, {}],
  [
    'tokens deep inside',
    {},
    { a: [{ token: 'x' }], b: { c: { token: 'y' } } },
    {},
    { a: [{ token: '***' }], b: { c: { token: '***' } } },
  ],
  ['a secret that is an object', { secret: { a: 1 } }, { secret: { a: 2 } }, { secret: '***' }, { secret: '***' }],
])('the audit diff handles %s', (_name, before, after, was, is) => {
  expect(diffViews(before, after)).toEqual({ before: was, after: is })
})

test('the audit diff treats a member with the name of an Object property like any other', () => {
  const after = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}')
  const { before, after: is } = diffViews({}, after)
  expect(JSON.stringify([before, is])).toBe('[{},{"__proto__":{"a":1},"constructor":2}]')
})
