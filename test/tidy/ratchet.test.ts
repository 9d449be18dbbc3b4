/**
 * The number of prose and name faults in a folder may only fall. No number exceeds its ceiling, and
 * no ceiling exceeds its number.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type NamedText, namesExportedTwice } from './names.ts'
import { type Ceilings, complaintsAboutCeilings, lowered, measure } from './ratchet.ts'
import { filesIn, PACKAGES, ROOT, read, SRC_FOLDERS, TEST_FOLDERS } from './source.ts'

const CEILINGS = 'test/tidy/ceilings.json'
const CODE = ['.ts', '.tsx', '.mjs', '.md']
const FOLDERS = [...SRC_FOLDERS, 'packages/console/src', ...TEST_FOLDERS, 'bench', 'scripts', 'docs', 'ops']

/** Names that at least two files export; the final limit is 40. */
const MAX_EXPORTED_TWICE = { packages: 0, 'packages/console/src': 0 }

const ceilings: Ceilings = JSON.parse(read(CEILINGS))
const folders = measure([
  ...readdirSync(ROOT)
    .filter((name) => name.endsWith('.md'))
    .map(fileOf),
  ...PACKAGES.map((name) => fileOf(`packages/${name}/README.md`)),
  ...[...FOLDERS.flatMap((folder) => filesIn(folder, CODE)), ...filesIn('packages/server/openapi', ['.json'])]
    .filter((path) => !path.endsWith('.d.ts') && !path.startsWith('docs/images'))
    .map(fileOf),
])

function fileOf(path: string): NamedText {
  return { path, text: read(path) }
}

test('no folder has more faults of prose or names than its ceiling allows', () => {
  expect(complaintsAboutCeilings(folders, ceilings)).toEqual([])
})

test('each ceiling equals the current figure, and `npm run ceilings` lowers those that are higher', async () => {
  const text = `${JSON.stringify(lowered(folders, ceilings), null, 2)}\n`
  await expect(text).toMatchFileSnapshot(join(ROOT, CEILINGS))
})

test.each(Object.entries(MAX_EXPORTED_TWICE))('the files of %s export few names twice', (folder, most) => {
  const within = folder === 'packages' ? SRC_FOLDERS : [folder]
  const twice = namesExportedTwice(within.flatMap((one) => filesIn(one, ['.ts', '.tsx'])).map(fileOf))
  expect(twice.length, twice.join('\n')).toBe(most)
})

describe('the ratchet finds', () => {
  const complaints = (text: string, path = 'packages/planted/src/file.ts') =>
    complaintsAboutCeilings(measure([{ path, text }]), {})

  /** In this file the planted sentences are strings, not comments. */
  const comment = (sentence: string) => `/** ${sentence} */`

  test.each([
    ['a sentence without a subject', 'subjectless', comment('Those are few; more are needed where lanes are many.')],
    ['a word that the field does not use', 'markers', comment('The queue answers whoever asks.')],
    ['a comment line over 100 columns', 'wide', `// The queue is ${'very '.repeat(20)}long.`],
    ['a decision that is only its id', 'bareIds', ['const limit = 3 ', ' C-4'].join('//')],
    ['a private word in a function', 'privateNames', 'export function closeDoor() {}'],
    ['a past participle for a type', 'participles', 'export interface Rendered {}'],
  ])('%s', (_what, rule, text) => {
    expect(complaints(text)).toEqual([expect.stringContaining(`packages/planted/src: ${rule}: 1, the ceiling is 0`)])
  })

  test('a private word in the name of a file', () => {
    expect(complaints('', 'packages/planted/src/strangers.ts')).toEqual([expect.stringContaining('unknown callers')])
  })

  test('a sentence of an error, and one of a guide', () => {
    const thrown = "throw new Error('Whoever asks for this needs a key of an operator')"
    expect(complaints(thrown, 'packages/server/src/cli/file.ts')).toHaveLength(2)
    expect(complaints('Nobody reads this twice.', 'docs/guides/file.md')).toHaveLength(1)
    const template = 'throw new Error(`nobody here has the id ${id} of a bet`)'
    expect(complaints(template, 'packages/server/src/platform/file.ts')).toHaveLength(1)
  })

  test('a description of an OpenAPI document', () => {
    const text = '{\n  "description": "What is asked for.\\n\\nNobody has it now.",\n  "example": "Nobody is here"\n}'
    expect(complaints(text, 'packages/server/openapi/file.json')).toEqual([
      expect.stringContaining('openapi: subjectless: 1'),
      expect.stringContaining('openapi: markers: 2'),
    ])
  })

  test.each([
    ['has no verb', "test('an answer after one second', () => {})"],
    ['has three words', "describe('the wallet', () => test('answers', () => {}))"],
    ['has no subject', "test('what is owed is counted by currency', () => {})"],
    ['has no verb in one row of its table', "test.each(['works at once', 'in USD'])('a bet %s', () => {})"],
  ])('a title of a test that %s', (_what, text) => {
    expect(complaints(text, 'test/planted/file.test.ts')).toEqual([
      expect.stringContaining('test/planted: titles: 1, the ceiling is 0'),
    ])
  })

  test('nothing in a title that is a sentence with its describe', () => {
    const text = `describe('the wallet', () => {
        test('debits a bet once', () => {})
        test.each(['type', 'token'])('refuses a call without %s', () => {})
      })`
    expect(complaints(text, 'test/planted/file.test.ts')).toEqual([])
  })

  test('nothing in plain sentences and terms of the field', () => {
    const text = `/** The load shedder rejects calls when the queue is full (R-4). */
      export interface Feed {}
      export function rejectWhenFull() {}`
    expect(complaints(text)).toEqual([])
  })

  test('a figure below its ceiling, which is lowered, and raises none', () => {
    const one = measure([{ path: 'packages/planted/src/file.ts', text: 'const door = 1' }])
    expect(lowered(one, { 'packages/planted/src': { privateNames: 3, wide: 2 } })).toEqual({
      'packages/planted/src': { privateNames: 1 },
    })
    expect(lowered(one, {})).toEqual({})
  })

  test('a name that two files export', () => {
    const files = ['a', 'b'].map((name) => ({ path: `src/${name}.ts`, text: 'export const limit = 1' }))
    expect(namesExportedTwice(files)).toEqual(['limit: src/a.ts, src/b.ts'])
  })
})
