/**
 * JSON as text: where the members of an object stand, and the text with some of them set. Every other byte stays as it
 * was written: an amount of 10.0 is 10.0 afterwards, which no parser and no printer would promise. The text must be one
 * that JSON.parse has taken; here nothing is checked, only skipped.
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
} from '../../../protocol/values/json-scanner.ts'

export interface MemberSpan {
  readonly name: string
  /** Where the value begins, and where it has ended. */
  readonly start: number
  readonly end: number
}

export interface ObjectSpan {
  /** Right behind the opening brace. */
  readonly start: number
  /** In the order of the text; a name can stand more than once. */
  readonly members: readonly MemberSpan[]
}

export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The members of the object that stands at this position of the text; not those of objects inside of it. */
export function scanObject(text: string, position = 0): ObjectSpan {
  const start = skipSpace(text, position) + 1
  const members: MemberSpan[] = []
  let at = skipSpace(text, start)
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = endOfString(text, at)
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1) // behind the colon
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

/** The edits that give members new values: wherever the name stands, or first of all when it stands nowhere. */
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

/** The text with these edits, which must not overlap. */
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
