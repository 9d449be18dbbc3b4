/**
 * Members of a JSON text are edited in place, and all other bytes stay. Each test builds the
 * expected text from the same pieces as the input.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEdits, scanObject, toMemberEdits } from '../../src/gateway/wire/json-edits.ts'

const RUNS = { numRuns: 500 }
const NAMES = ['token', 'userId', 'operatorUser']

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 })
/** Spellings of numbers, most of which no serialiser writes. */
const number = fc.constantFrom(
  '0',
  '-0',
  '10.0',
  '1e2',
  '1E+2',
  '12.10',
  '1e-7',
  '9007199254740993',
  '0.1000000000000000055',
)
/** A text with any of its characters escaped. */
const string = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\\"',
        '\\\\',
        '\\/',
        '\\n',
        '\\u0041',
        '\\ud83d\\ude00',
        '\\u0000',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        ' ',
      ),
      fc.string({ unit: 'binary', maxLength: 2 }).map((text) => JSON.stringify(text).slice(1, -1)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => `"${parts.join('')}"`)
/**
 * Node 24's JSON.parse, the reference here, confuses escaped names after it has parsed one with a
 * backslash (nodejs/node#63785).
 */
const anyName = string.filter((text) => !JSON.parse(text).includes('\\'))
const name = fc.oneof(
  fc.constantFrom(...NAMES).map((text) => `"${text}"`),
  anyName,
)
const scalar = fc.oneof(number, string, fc.constantFrom('true', 'false', 'null'))
const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('object')),
  list: fc.array(padded(tie('value')), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  object: fc
    .array(fc.tuple(padded(name), padded(tie('value'))), { maxLength: 3 })
    .map((members) => `{${members.map((member) => member.join(':')).join(',')}}`),
}))

function padded(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(space, inner, space).map((parts) => parts.join(''))
}

interface Piece {
  before: string
  name: string
  colon: string
  value: string
  after: string
}

const piece: fc.Arbitrary<Piece> = fc.record({
  before: space,
  name: anyName.filter((text) => !NAMES.includes(JSON.parse(text))),
  colon: fc.tuple(space, space).map(([left, right]) => `${left}:${right}`),
  value,
  after: space,
})
/** A name to edit, plain or with its first letter escaped. */
const wanted = (name: string) =>
  fc
    .record({
      piece,
      escaped: fc.boolean(),
      count: fc.constantFrom(0, 1, 1, 2),
    })
    .map(({ piece, escaped, count }) => {
      const first = `\\u00${name.charCodeAt(0).toString(16)}`
      return Array.from({ length: count }, () => ({
        ...piece,
        name: escaped ? `"${first}${name.slice(1)}"` : `"${name}"`,
      }))
    })

const pieces = fc.tuple(fc.array(piece, { maxLength: 5 }), ...NAMES.map(wanted)).chain(([others, ...named]) => {
  const all = [...others, ...named.flat()]
  return fc.shuffledSubarray(all, { minLength: all.length })
})

const written = (all: readonly Piece[], inserted = '') =>
  `{${inserted}${all.map(({ before, name, colon, value, after }) => before + name + colon + value + after).join(',')}}`

const nameOf = (piece: Piece): string => JSON.parse(piece.name)
const VALUES = { token: 'T$&"\\', userId: 'ü', operatorUser: '😀' }

/** The expected text: values are replaced in place, and absent members come first. */
function expected(all: readonly Piece[]): string {
  const changed = all.map((piece) => {
    const name = nameOf(piece)
    return name in VALUES ? { ...piece, value: JSON.stringify(VALUES[name as keyof typeof VALUES]) } : piece
  })
  const absent = Object.entries(VALUES).filter(([name]) => !all.some((piece) => nameOf(piece) === name))
  const added = absent.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',')
  return written(changed, added !== '' && all.length > 0 ? `${added},` : added)
}

test('the edit replaces the named members, and leaves every other byte unchanged', () => {
  fc.assert(
    fc.property(space, pieces, space, (before, all, after) => {
      const text = before + written(all) + after
      const changed = applyEdits(text, toMemberEdits(scanObject(text), VALUES))
      expect(changed).toBe(before + expected(all) + after)
      expect(JSON.parse(changed)).toEqual({ ...JSON.parse(text), ...VALUES })
    }),
    RUNS,
  )
})

test('the scanner finds the same members of any object as JSON.parse', () => {
  fc.assert(
    fc.property(pieces, (all) => {
      const text = written(all)
      const { members } = scanObject(text)
      const found = Object.fromEntries(
        members.map(({ name, start, end }) => [name, JSON.parse(text.slice(start, end))]),
      )
      expect({ ...found }).toEqual({ ...JSON.parse(text) })
      expect(members).toHaveLength(all.length)
    }),
    RUNS,
  )
})

test('a nested object is edited in place', () => {
  const text = ' { "userId" : "a" , "customFields" : { "operatorUser":1e2 } , "x":10.0 } '
  const inner = scanObject(text).members.find(({ name }) => name === 'customFields')
  const edits = [
    ...toMemberEdits(scanObject(text), { userId: 'b' }),
    ...toMemberEdits(scanObject(text, inner!.start), { operatorUser: 'c' }),
  ]
  expect(applyEdits(text, edits)).toBe(' { "userId" : "b" , "customFields" : { "operatorUser":"c" } , "x":10.0 } ')
})

test('an empty object gets members without an extra comma', () => {
  for (const text of ['{}', ' { } ']) {
    const changed = applyEdits(text, toMemberEdits(scanObject(text), { a: 1, b: null }))
    expect(JSON.parse(changed)).toEqual({ a: 1, b: null })
  }
})
