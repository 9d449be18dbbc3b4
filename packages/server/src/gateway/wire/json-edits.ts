/**
 * Edits of JSON text that set members of an object. Every other byte stays: an amount of 10.0 stays
 * 10.0, which parsing and printing would not ensure. The text must be valid JSON, because nothing
 * is checked here.
 */
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  endOfScalar,
  endOfString,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '@purser/protocol/values/json-scanner'

export interface MemberSpan {
  readonly name: string
  /** The value is from `start` up to, but not including, `end`. */
  readonly start: number
  readonly end: number
}

export interface ObjectSpan {
  /** Directly after the opening brace. */
  readonly start: number
  /** In the order of the text. A name can occur more than once. */
  readonly members: readonly MemberSpan[]
}

export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Members of the object at `position`, without members of nested objects. */
export function scanObject(text: string, position = 0): ObjectSpan {
  const start = skipSpace(text, position) + 1
  const members: MemberSpan[] = []
  let at = skipSpace(text, start)
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = endOfString(text, at)
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1) // after the colon
    const valueEnd = endOfValue(text, valueStart)
    members.push({ name: unquoteName(text.slice(at, nameEnd)), start: valueStart, end: valueEnd })
    at = skipSpace(text, valueEnd)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return { start, members }
}

function unquoteName(string: string): string {
  return string.includes('\\') ? JSON.parse(string) : string.slice(1, -1)
}

/** Each occurrence of a member gets the new value; a missing member is added at the front. */
export function toMemberEdits({ start, members }: ObjectSpan, values: Readonly<Record<string, unknown>>): TextEdit[] {
  const edits: TextEdit[] = []
  const added: string[] = []
  for (const name of Object.keys(values)) {
    const text = JSON.stringify(values[name])
    const found = members.filter((member) => member.name === name)
    if (found.length === 0) added.push(`${JSON.stringify(name)}:${text}`)
    for (const { start, end } of found) edits.push({ start, end, text })
  }
  if (added.length > 0) edits.push({ start, end: start, text: added.join(',') + (members.length > 0 ? ',' : '') })
  return edits
}

/** The edits must not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = ''
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}

function skipSpace(text: string, position: number): number {
  let at = position
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function endOfValue(text: string, position: number): number {
  const first = text.charCodeAt(position)
  if (first === QUOTE) return endOfString(text, position)
  if (first === OPEN_OBJECT || first === OPEN_LIST) return endOfNested(text, position)
  return endOfScalar(text, position)
}

function endOfNested(text: string, position: number): number {
  let depth = 0
  let at = position
  do {
    const code = text.charCodeAt(at)
    if (code === OPEN_OBJECT || code === OPEN_LIST) depth++
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--
    at = code === QUOTE ? endOfString(text, at) : at + 1
  } while (depth > 0 && at < text.length)
  return at
}
