/** Untrusted text is made safe for a terminal and for the log of a CI server. */
import { describe, expect, test } from 'vitest'
import { printable, printableLine, printableLines } from '../src/text/printable-text.ts'

describe('printed text', () => {
  test.each([
    ['an escape sequence', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
    ['a sequence of one character', 'a\u009b2Jb', 'a\\u009b2Jb'],
    ['the end of a line', 'a\r\nb', 'a\\u000d\\u000ab'],
    ['a backspace and a delete', 'a\b\u007f', 'a\\u0008\\u007f'],
    ['a mark of direction', 'a\u202eb\u2066c\u200f', 'a\\u202eb\\u2066c\\u200f'],
    ['separators of lines', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['a byte order mark', '\ufeffa', '\\ufeffa'],
    ['half of a pair', 'a\ud83c', 'a\\ud83c'],
  ])('shows %s as an escape', (_name, text, shown) => expect(printable(text)).toBe(shown))

  test('keeps characters of every script, also those of four bytes', () => {
    const text = 'Bodø ⚽ 🇳🇴 שלום สวัสดี "quotes" C:\\dir'
    expect(printableLine(text)).toBe(text)
  })

  test.each([
    ['::error::pay', '\\u003a:error::pay'],
    ['  ::add-mask::x', '  \\u003a:add-mask::x'],
    ['a ##[set-env name=x]y', 'a \\u0023#[set-env name=x]y'],
    ['##vso[task.complete]', '\\u0023#vso[task.complete]'],
    ["##teamcity[buildStop comment='x']", "\\u0023#teamcity[buildStop comment='x']"],
    ['a\n::error::b', 'a\n\\u003a:error::b'],
  ])('is never a command of a CI server: %j', (text, shown) => expect(printableLines(text)).toBe(shown))

  test('keeps the address ::1 in the middle of a line', () => {
    expect(printableLine('player ::1 ## [x]')).toBe('player ::1 ## [x]')
  })

  test('contains the same JSON if it was JSON', () => {
    const value = { '\u009b2J': ['\u202e', '##[error]', '\u2028', '::error::', '\ud83c'] }
    expect(JSON.parse(printableLines(JSON.stringify(value, null, 2)))).toEqual(value)
    expect(printableLines(JSON.stringify(value))).not.toMatch(/[\u0080-\u009f\u2028\u202e]|##\[/)
  })
})
