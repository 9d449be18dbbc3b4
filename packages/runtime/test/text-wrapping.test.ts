import { expect, test } from 'vitest'
import { wrapForTerminal } from '../src/text/text-wrapping.ts'

const long = 'word '.repeat(30).trim()

test('each text of a list is wrapped at 80 columns, and nowhere else', () => {
  const lines = [long, 'a short one', long].flatMap(wrapForTerminal)
  expect(lines.map((line) => line.length)).toEqual([79, 69, 11, 79, 69])
  expect(lines.join(' ')).toBe([long, 'a short one', long].join(' '))
})
