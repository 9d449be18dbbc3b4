/**
 * A server checks the number of items in a request before the validator can report a fault for each
 * item.
 */
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { findOversized } from '../../src/core/http/array-size-limits.ts'

const schema = Type.Object({
  list: Type.Optional(Type.Array(Type.Integer(), { maxItems: 3 })),
  inner: Type.Optional(Type.Record(Type.String(), Type.Object({}))),
})
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, {}]))

test.each([
  ['a list within its length', { list: [1, 2, 3] }, undefined],
  ['a list that is longer', { list: [1, 2, 3, 4] }, { pointer: '/list', detail: 'must not have more than 3 items' }],
  ['a thousand members', { inner: members(1_000) }, undefined],
  [
    'more members within',
    { inner: members(1_001) },
    { pointer: '/inner', detail: 'must not have more than 1000 members' },
  ],
  ['more members, known or not', members(1_001), { pointer: '', detail: 'must not have more than 1000 members' }],
  ['what is no object at all', 'text', undefined],
])('the size limit is checked for %s', (_what, value, fault) => {
  expect(findOversized(schema, value, '')).toEqual(fault)
})
