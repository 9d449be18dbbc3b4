/**
 * JSON as text: where the members of an object stand, and the text with some of them set. Every other byte stays as it
 * was written: an amount of 10.0 is 10.0 afterwards, which no parser and no printer would promise. The text must be one
 * that JSON.parse has taken; here nothing is checked, only skipped.
 */
export interface Member {
  readonly name: string
  /** Where the value begins, and where it has ended. */
  readonly start: number
  readonly end: number
}

export interface ObjectText {
  /** Right behind the opening brace. */
  readonly start: number
  /** In the order of the text; a name can stand more than once. */
  readonly members: readonly Member[]
}

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The members of the object that stands at this position of the text; not those of objects inside of it. */
export function objectAt(text: string, position = 0): ObjectText {
  const start = skipSpace(text, position) + 1
  const members: Member[] = []
  let at = skipSpace(text, start)
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at)
    const name: string = JSON.parse(text.slice(at, nameEnd))
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1) // behind the colon
    const valueEnd = endOfValue(text, valueStart)
    members.push({ name, start: valueStart, end: valueEnd })
    at = skipSpace(text, valueEnd)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return { start, members }
}

/** The edits that give members new values: wherever the name stands, or first of all when it stands nowhere. */
export function setMembers({ start, members }: ObjectText, values: Readonly<Record<string, unknown>>): Edit[] {
  const wanted = Object.entries(values).map(([name, value]) => ({ name, json: JSON.stringify(value) }))
  const replaced = wanted.flatMap(({ name, json }) =>
    members.filter((member) => member.name === name).map(({ start, end }) => ({ start, end, text: json })),
  )
  const absent = wanted.filter(({ name }) => !members.some((member) => member.name === name))
  if (absent.length === 0) return replaced
  const added = absent.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')
  return [{ start, end: start, text: members.length > 0 ? `${added},` : added }, ...replaced]
}

/** The text with these edits, which must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}

const SPACE = new Set([' ', '\t', '\n', '\r'])

function skipSpace(text: string, position: number): number {
  let at = position
  while (SPACE.has(text[at] as string)) at++
  return at
}

/** `position` is that of the opening quote. */
function endOfString(text: string, position: number): number {
  let at = position + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfValue(text: string, position: number): number {
  if (text[position] === '"') return endOfString(text, position)
  if (text[position] === '{' || text[position] === '[') return endOfNested(text, position)
  let at = position
  while (at < text.length && !',}]'.includes(text[at] as string) && !SPACE.has(text[at] as string)) at++
  return at
}

function endOfNested(text: string, position: number): number {
  let depth = 0
  let at = position
  do {
    const char = text[at]
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    at = char === '"' ? endOfString(text, at) : at + 1
  } while (depth > 0 && at < text.length)
  return at
}
