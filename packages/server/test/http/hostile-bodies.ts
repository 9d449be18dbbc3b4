/**
 * Makes bodies of a permitted size that are as expensive as possible: long lists, many members,
 * deep nesting, long texts.
 */
import type { Node } from '../openapi/document.ts'

export interface HostileBody {
  readonly name: string
  readonly text: string
}

/** A JSON text of nearly this number of bytes. */
type Filler = (bytes: number) => string

const times = (bytes: number, part: string) => part.repeat(Math.max(0, Math.floor(bytes / part.length)))
const list = (item: string): Filler => {
  const separated = `${item},`
  return (bytes) => `[${times(bytes - item.length - 2, separated)}${item}]`
}
const numbered =
  (open: string, part: (i: number) => string, close: string): Filler =>
  (bytes) => {
    const parts: string[] = []
    for (let size = 20; size < bytes; size += (parts.at(-1)?.length ?? 0) + 1) parts.push(part(parts.length))
    return open + parts.join(',') + close
  }
const within =
  (before: string, part: string, after: string): Filler =>
  (bytes) =>
    before + times(bytes - before.length - after.length, part) + after

const FILLERS: Readonly<Record<'array' | 'object' | 'string' | 'number', Readonly<Record<string, Filler>>>> = {
  array: {
    'equal texts': list('""'),
    'currencies that are all the same': list('"EUR"'),
    'texts that all differ': numbered('[', (i) => `"${i}"`, ']'),
    'numbers that are all the same': list('0'),
    'empty objects': list('{}'),
    'lists in lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
    'numbers that would be rounded': list('1e-400'),
    'numbers that look as if they would be': list('1.00000000000000'),
    'numbers of a large exponent': list('1e300'),
    'numbers that a double holds with fewer digits': list('9e-320'),
    'numbers of as many digits as are exact': list('0.123456789012345'),
    'short numbers and one that would be rounded': (bytes) => `[${times(bytes - 9, '0,')}1e-400]`,
    'empty lists and a number that would be rounded': (bytes) => `[${times(bytes - 9, '[],')}1e-400]`,
    'escapes and a number that would be rounded': (bytes) => `[${times(bytes - 9, '"\\n",')}1e-400]`,
    'empty objects and a wrong item at the end': (bytes) => `[${times(bytes - 3, '{},')}0]`,
    'empty objects and an escape': (bytes) => `[${times(bytes - 12, '{},')}{"":"\\n"}]`,
    'short texts with escapes': list('"\\n"'),
    tokens: list('{"token":"a"}'),
    'tokens and an escape': (bytes) => `[${times(bytes - 12, '{"token":"a"},')}{"":"\\n"}]`,
  },
  object: {
    'objects in objects': (bytes) => `${times((bytes * 4) / 5 - 2, '{"":')}0${'}'.repeat(Math.floor(bytes / 5 - 2))}`,
    'many members': numbered('{', (i) => `"${i}x":0`, '}'),
    'many members with names to escape': numbered('{', (i) => `"~/${i}":{}`, '}'),
    'names that are escapes': numbered('{', (i) => `"\\u0041${i}":0`, '}'),
    'a name again and again': numbered('{', () => '"a":0', '}'),
    'the token again and again': numbered('{', () => '"token":""', '}'),
  },
  string: {
    'a text of digits': within('"', '0', 'x"'),
    'a text of letters': within('"', 'a', '"'),
    'a text of spaces': within('"', ' ', '"'),
    'a text like numbers that would be rounded': within('"', ',0000000000000000', '"'),
    'a text of escapes': within('"', '\\u0000', '"'),
    'a text of quotes': within('"', '\\"', '"'),
    'a text of four-byte characters': (bytes) => `"${'\u{1F3C0}'.repeat((bytes - 2) / 4)}"`,
    'a text of tokens': within('"', 'token=a ', '"'),
    'a text of a token that does not begin': within('"token', ' ', '"'),
  },
  number: {
    'a number of ones': within('', '1', ''),
    'a number of zeros': within('0.', '0', '1'),
    'a number of zeros in front of the point': within('1', '0', '.1'),
    'a number of digits that ends in an exponent': within('', '7', 'e-99999'),
  },
}

/**
 * Replaces the whole body, and each member by its type. `example` is a valid body, whose list items
 * are repeated.
 */
export function hostileBodies(schema: Node, example: unknown, bytes: number): HostileBody[] {
  const whole = Object.entries(Object.assign({}, ...Object.values(FILLERS)) as Record<string, Filler>)
  const inPlaces = placesIn(schema, example).flatMap(({ name: place, fillers, before, after }) =>
    Object.entries(fillers).map(([name, filler]) => ({
      name: `${name} in ${place}`,
      text: before + filler(bytes - before.length - after.length) + after,
    })),
  )
  return [...whole.map(([name, filler]) => ({ name, text: filler(bytes) })), ...inPlaces]
}

function placesIn(schema: Node, example: unknown) {
  return pathsIn(schema, example).map(({ path, member }) => {
    const [before = '', after = ''] = JSON.stringify(withValueAt(example, path, MARK)).split(`"${MARK}"`)
    return {
      name: path.join('/'),
      fillers: { ...fillersFor(member), ...repeating(valueAt(example, path)) },
      before,
      after,
    }
  })
}

function fillersFor(member: Node): Readonly<Record<string, Filler>> {
  const types = alternativesOf(member).map(({ type, enum: choices }) => (choices === undefined ? type : 'string'))
  return Object.assign({}, ...Object.entries(FILLERS).map(([type, fillers]) => (types.includes(type) ? fillers : {})))
}

function repeating(value: unknown): Readonly<Record<string, Filler>> {
  const item = Array.isArray(value) ? value[0] : undefined
  return item === undefined ? {} : { 'the item of the example': list(JSON.stringify(item)) }
}

const MARK = '@'

function alternativesOf(schema: Node): Node[] {
  const inner = (['oneOf', 'anyOf'] as const).flatMap((name) => (schema[name] ?? []) as Node[])
  return [schema, ...inner]
}

/** The members of the schema, and of the items in its lists. */
function pathsIn(schema: Node, value: unknown): { path: string[]; member: Node }[] {
  const members = alternativesOf(schema).flatMap(({ properties }) =>
    Object.entries((properties ?? {}) as Record<string, Node>),
  )
  return [...new Map(members)].flatMap(([name, member]) => {
    const items = member.items as Node | undefined
    const inner = items === undefined || value === undefined ? [] : pathsIn(items, {})
    return [{ path: [name], member }, ...inner.map((found) => ({ ...found, path: [name, '0', ...found.path] }))]
  })
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, step) => (inner as Node | undefined)?.[step], value)
}

function withValueAt(value: unknown, [step, ...rest]: readonly string[], put: unknown): unknown {
  if (step === undefined) return put
  const inner = (value as Node | undefined)?.[step]
  if (step === '0') return [withValueAt(inner ?? {}, rest, put)]
  return { ...(value as Node | undefined), [step]: withValueAt(inner, rest, put) }
}
