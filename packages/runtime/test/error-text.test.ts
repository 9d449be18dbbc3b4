import { expect, test } from 'vitest'
import { errorText, errorWithStack } from '../src/errors/error-text.ts'

test.each<[unknown, string]>([
  [new Error('no room'), 'no room'],
  [
    new AggregateError([new Error('::1 is closed'), new Error('127.0.0.1 is closed')]),
    '::1 is closed, 127.0.0.1 is closed',
  ],
  [new AggregateError([new Error('one')], 'both addresses are closed'), 'both addresses are closed'],
  [new TypeError(), 'TypeError'],
  ['thrown as a text', 'thrown as a text'],
  [undefined, 'undefined'],
])('the text of %s is %s', (thrown, text) => expect(errorText(thrown)).toBe(text))

test('the text with a stack shows where the error was thrown', () => {
  expect(errorWithStack(new Error('no room'))).toMatch(/^Error: no room\n +at .*error-text\.test\.ts/)
  expect(errorWithStack('a text')).toBe('a text')
})
