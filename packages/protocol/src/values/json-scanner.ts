/**
 * Scanner for positions in a JSON text. The text must be valid JSON: the scanner checks nothing.
 */

const charCode = (char: string) => char.charCodeAt(0)
export const [QUOTE, BACKSLASH, COMMA, COLON] = [charCode('"'), charCode('\\'), charCode(','), charCode(':')]
export const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [
  charCode('{'),
  charCode('}'),
  charCode('['),
  charCode(']'),
]
export const MINUS = charCode('-')
const [FIRST_DIGIT, LAST_DIGIT] = [charCode('0'), charCode('9')]

/** Returns the position after a string. `position` is its opening quotation mark. */
export function endOfString(text: string, position: number): number {
  let at = position + 1
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) break
    if (code === BACKSLASH) at++
  }
  return at + 1
}

export function beginsNumber(code: number): boolean {
  return code === MINUS || (code >= FIRST_DIGIT && code <= LAST_DIGIT)
}

/** Returns the position after a number, `true`, `false` or `null`. */
export function endOfScalar(text: string, position: number): number {
  let at = position
  while (at < text.length && !isEndOfScalar(text.charCodeAt(at))) at++
  return at
}

function isEndOfScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST || isSpace(code)
}

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`
const STRING_OR_NAME = new RegExp(String.raw`${STRING}\s*:?`, 'g')

/** True if no object of the text repeats a name. The text must be valid JSON. */
export function hasUniqueNames(text: string): boolean {
  const writtenCount = (text.match(STRING_OR_NAME) ?? []).filter((token) => token.endsWith(':')).length
  let parsedCount = -1 // the reviver also visits the root
  JSON.parse(text, function count(this: unknown, _name, value) {
    if (!Array.isArray(this)) parsedCount++
    return value
  })
  return writtenCount === parsedCount
}
