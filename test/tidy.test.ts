/**
 * Every file follows the house rules that a machine can check (after TigerBeetle's tidy.zig). Each
 * rule must also find a planted fault.
 */
import { describe, expect, test } from 'vitest'
import { definedIdsOf, namedIdsOf } from './docs/markdown.ts'
import {
  complaintsAboutArrows,
  complaintsAboutDependencies,
  complaintsAboutLoops,
  complaintsAboutMutualParts,
  complaintsAboutTheStart,
} from './tidy/arrows.ts'
import { complaintsAboutBareCodes } from './tidy/codes.ts'
import * as habits from './tidy/habits.ts'
import { filesIn, PACKAGES, read, SRC_FOLDERS, sourceOf, sourcesIn, TEST_FOLDERS } from './tidy/source.ts'
import { complaintsAboutWaiting } from './tidy/waiting.ts'
import { complaintsAboutTheWorld } from './tidy/world.ts'

const SRC = sourcesIn(SRC_FOLDERS)
const CONSOLE = sourcesIn(['packages/console/src'])
const ALL = [...SRC, ...sourcesIn([...TEST_FOLDERS, 'scripts', 'bench'])]
/** Programs, and files that a package.json names for users of the package. */
const ENTRIES = PACKAGES.flatMap((name) => {
  const named = [...read(`packages/${name}/package.json`).matchAll(/"\.\/(src\/[^*"]+)"/g)]
  return ['src/main.ts', ...named.map(([, file = '']) => file)].map((file) => `packages/${name}/${file}`)
})
const DECISIONS = definedIdsOf(read('docs/reference/decisions.md'))

test('the house rules find source files and decisions', () => {
  expect(SRC.length).toBeGreaterThan(40)
  expect(CONSOLE.length).toBeGreaterThan(40)
  expect(ALL.length).toBeGreaterThan(100)
  expect(DECISIONS).toEqual(expect.arrayContaining(['S-1', 'R-1', 'M-1', 'I-1', 'L-1', 'P-1', 'C-1']))
})

describe('the files of the packages', () => {
  test('follow the arrows of the architecture in their imports', () =>
    expect([...SRC, ...CONSOLE].flatMap(complaintsAboutArrows)).toEqual([]))
  test.each(PACKAGES)('import only what the package.json of %s names', (name) => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read(`packages/${name}/package.json`))
    const named = Object.keys({ ...dependencies, ...optionalDependencies, ...(name === 'console' && devDependencies) })
    const sources = [...SRC, ...CONSOLE].filter(({ path }) => path.startsWith(`packages/${name}/`))
    expect(sources.flatMap((source) => complaintsAboutDependencies(source, named))).toEqual([])
  })
  test('have no two parts of the platform that import each other', () =>
    expect(
      complaintsAboutMutualParts(SRC.filter(({ path }) => path.startsWith('packages/server/src/platform/'))),
    ).toEqual([]))
  test('load nothing that only another command needs', () => expect(complaintsAboutTheStart(SRC)).toEqual([]))
  test('take time, turns and randomness from the environment', () => {
    expect(SRC.flatMap(complaintsAboutTheWorld)).toEqual([])
  })
  test('have floating-point arithmetic in protocol/money.ts only', () =>
    expect(SRC.flatMap(habits.noFloats)).toEqual([]))
  test('guess no scale of a currency', () => expect(SRC.flatMap(habits.noFallbackScale)).toEqual([]))
  test('begin with a comment that says their purpose', () => expect(SRC.flatMap(habits.opensWithComment)).toEqual([]))
  test('write tables in SQL with their schema', () => expect(SRC.flatMap(habits.sqlIsQualified)).toEqual([]))
})

test('the files of packages, tests, scripts and bench have no loop of imports', () => {
  expect(complaintsAboutLoops([...ALL, ...CONSOLE])).toEqual([])
})

describe('the files of packages and console', () => {
  test('are in folders of at most 15 files', () =>
    expect(habits.complaintsAboutFolders([...SRC, ...CONSOLE].map(({ path }) => path))).toEqual([]))
  test('have at least 25 lines or three importers', () => {
    expect(habits.complaintsAboutSmallFiles([...SRC, ...CONSOLE], ENTRIES)).toEqual([])
    expect(Object.keys(habits.SMALL_FILES).length).toBeLessThanOrEqual(10)
  })
  test('parse decimals in one place', () => expect([...SRC, ...CONSOLE].flatMap(habits.noDecimals)).toEqual([]))
  test('use codes and reasons by their names', () =>
    expect([...SRC, ...CONSOLE].flatMap(complaintsAboutBareCodes)).toEqual([]))
})

describe('the files of packages, tests, scripts and bench', () => {
  const rules: [string, habits.Rule][] = [
    ['files are short', habits.fileIsShort],
    ['functions are short', habits.functionsAreShort],
    ['nothing is exported as default', habits.noDefaultExport],
    ['there are no enums', habits.noEnum],
    ['types are not bypassed', habits.noAny],
    ['every test runs and no work is left open', habits.nothingLeftOver],
    ['every file has a subject', habits.noBucket],
    ['a wallet whose money was moved is audited', habits.movedMoneyIsAudited],
    ['quick tests wait for conditions and not for time', complaintsAboutWaiting],
  ]
  test.each(rules)('follow the rule: %s', (_name, rule) => expect(ALL.flatMap(rule)).toEqual([]))

  test('name only decisions that exist', () => {
    const texts = [
      ...ALL,
      ...filesIn('packages/server/migrations', ['.sql']).map((path) => ({ path, text: read(path) })),
    ]
    const named = texts.flatMap(({ path, text }) => namedIdsOf(text).map((id) => ({ path, id })))
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter(({ id }) => !DECISIONS.includes(id) && !PLANTED_IDS.includes(id))).toEqual([])
  })
})

/** Ids that the planted faults below use. */
const PLANTED_IDS = ['R-99']

describe('the house rules find', () => {
  test.each([
    ['compared with a number', 'const isOver = answer.code === 8'],
    ['compared the other way round', 'const isOver = 20 !== code'],
    ['compared by a name of its own', 'const TOO_POOR = 21; const isPoor = details.code === TOO_POOR'],
    ['searched in a list', 'const isNo = [5, 20, 21].includes(code ?? 0)'],
    ['passed to a function', 'const allow = refuse(7)'],
    ['stored in a list', 'const REFUSES_A_RESULT = [5, 20, 21]'],
    ['a key of texts', "const DECLINED = { 3: 'invalid session' }"],
    ['sent as a number', 'const body = { type: 3, errorCode: 50 }'],
    ['answered as a number', "const answer = { kind: 'refusal', code: 5 }"],
    ['selected by a switch', 'switch (answer.code) { case 8: step() }'],
    ['part of a text of the platform', "const isPoor = reason === 'partner code 7'"],
    ['part of a body', 'const hasFailed = /"code":100\\b/.test(text)'],
  ])('a code without its name that is %s', (_name, text) => {
    expect(complaintsAboutBareCodes(sourceOf('packages/server/src/platform/planted.ts', text))).toHaveLength(1)
  })

  test('nothing in numbers that are no codes', () => {
    const text = `if (code === 0x20 || exit.code !== 0 || status === 400 || code === replyCode('timed_out') || code.length === 5) step(7)
      const schema = { examples: [{ errorCode: 8 }] }
      const SEEDS = { code: 6, player: 1 }
      switch (code) { case 0: step() }
      const MAX_CODE = 16
      const RETRIES = [1, 3, 9]`
    expect(complaintsAboutBareCodes(sourceOf('packages/server/src/platform/planted.ts', text))).toEqual([])
  })

  const long = (lines: number) => `function long() {\n${'  step()\n'.repeat(lines - 2)}}`
  const planted: [string, habits.Rule, string][] = [
    ['Number()', habits.noFloats, 'const x = Number(text)'],
    ['Number handed on', habits.noFloats, 'const x = texts.map(Number)'],
    ['parseFloat', habits.noFloats, 'const x = parseFloat(text)'],
    ['toFixed', habits.noFloats, 'const x = amount.toFixed(2)'],
    ['Math.round', habits.noFloats, 'const x = Math.round(amount * 100)'],
    ['a decimal that is cut at its point', habits.noDecimals, "const [whole = '0', part = ''] = amount.split('.')"],
    ['a decimal that is counted', habits.noDecimals, "const x = BigInt(digits + part.padEnd(2, '0'))"],
    ['a scale of nothing', habits.noFallbackScale, 'const x = scales.get(currency) ?? 0'],
    ['a scale of two', habits.noFallbackScale, 'const x = row.scale || 2'],
    ['a scale unless one is given', habits.noFallbackScale, 'const show = (amount, scale = 2) => amount'],
    ['a file of 401 lines', habits.fileIsShort, 'step()\n'.repeat(401)],
    ['a function of 71 lines', habits.functionsAreShort, long(71)],
    ['an arrow function of 71 lines', habits.functionsAreShort, `const x = () => ${long(71).slice(16)}`],
    ['a default export', habits.noDefaultExport, 'export default 1'],
    ['an enum', habits.noEnum, 'enum Colour { red }'],
    ['any', habits.noAny, 'const x = (value: any) => value'],
    ['a suppressed type error', habits.noAny, '// @ts-expect-error it is fine\nconst x: string = 1'],
    ['work left over', habits.nothingLeftOver, '// TODO: later\nconst x = 1'],
    ['a test that keeps others from running', habits.nothingLeftOver, "test.only('x', () => {})"],
    ['a test that does not run', habits.nothingLeftOver, "describe.skip('x', () => {})"],
    ['a file without a word on it', habits.opensWithComment, 'export const x = 1'],
    [
      'SQL that trusts the search path',
      habits.sqlIsQualified,
      "const x = 'select balance from account where player = $1'",
    ],
    [
      'an unqualified join in a template',
      habits.sqlIsQualified,
      'const x = `select 1 from purser.bet b\n join bet_call c on true`',
    ],
    [
      'money that nobody audits',
      habits.movedMoneyIsAudited,
      "wallet = await startWallet()\nawait wallet.operator.deposit(userId, '1.00')",
    ],
    ['an unqualified insert', habits.sqlIsQualified, "const x = 'insert into transfer values ($1)'"],
    ['an unqualified update', habits.sqlIsQualified, "const x = 'update account set balance = 0'"],
  ]
  test.each(planted)('%s', (_name, rule, text) => {
    expect(rule(sourceOf('packages/server/src/wallet/planted.ts', text))).toHaveLength(1)
  })

  test.each([
    'await sleep(20)',
    'setTimeout(() => stop.abort(), 100)',
    "wallet.next('settle', { delayMs: 100 })",
    "await sql.query('select pg_sleep(1)')",
    'await vi.waitFor(look)',
    'expect(performance.now() - start).toBeLessThan(1_000)',
    'expect(answer.durationMs).toBeLessThanOrEqual(300)',
  ])('a quick test that waits for milliseconds: %s', (text) => {
    expect(complaintsAboutWaiting(sourceOf('packages/server/test/wallet/planted.test.ts', text))).toHaveLength(1)
    expect(complaintsAboutWaiting(sourceOf('packages/server/test/wallet/planted.long.test.ts', text))).toEqual([])
  })

  test('nothing in a test that polls for a condition', () => {
    const text =
      'while (!(await isThere())) await sleep(5)\nawait expect.poll(look).toBe(1)\nexpect(rows).toBeLessThan(3)'
    expect(complaintsAboutWaiting(sourceOf('packages/server/test/wallet/planted.test.ts', text))).toEqual([])
  })

  test('nothing in SQL with qualified names', () => {
    const text = `const x = \`with old as (select 1) insert into purser.bet select * from rows from (unnest($1::text[])) as r join old on true
      on conflict (bucket) do update set calls = 1 where a is distinct from b\``
    expect(habits.sqlIsQualified(sourceOf('packages/server/src/wallet/planted.ts', text))).toEqual([])
    expect(habits.functionsAreShort(sourceOf('packages/server/src/wallet/planted.ts', long(70)))).toEqual([])
  })

  test.each([
    'packages/runtime/src/utils.ts',
    'packages/server/src/wallet/helpers/a.ts',
    'test/common.ts',
    'packages/runtime/src/types.ts',
    'scripts/misc.mjs',
  ])('a file without a subject: %s', (path) => {
    expect(habits.noBucket(sourceOf(path, ''))).toHaveLength(1)
  })

  test('a folder of more than 15 files', () => {
    const paths = Array.from({ length: 16 }, (_, i) => `packages/server/src/planted/file-${i}.ts`)
    expect(habits.complaintsAboutFolders(paths)).toEqual(['packages/server/src/planted: 16 files, more than 15'])
    expect(habits.complaintsAboutFolders(paths.slice(1))).toEqual([])
  })

  test('a small file with two importers, and an exception that is not needed', () => {
    const file = (name: string, text: string) => sourceOf(`packages/runtime/src/${name}.ts`, text)
    const small = file('small', 'export const small = 1')
    const readers = ['a', 'b', 'c'].map((name) =>
      file(name, `import { small } from './small.ts'\n${'step()\n'.repeat(24)}`),
    )
    const complaint = 'packages/runtime/src/small.ts: fewer than 25 lines, and 2 importers'
    expect(habits.complaintsAboutSmallFiles([small, ...readers.slice(1)], [], [])).toEqual([complaint])
    expect(habits.complaintsAboutSmallFiles([small, ...readers.slice(1)], [small.path], [])).toEqual([])
    expect(habits.complaintsAboutSmallFiles([small, ...readers.slice(1)], [], [small.path])).toEqual([])
    expect(habits.complaintsAboutSmallFiles([small, ...readers], [], [])).toEqual([])
    expect(habits.complaintsAboutSmallFiles([small, ...readers], [], [small.path])).toEqual([
      'packages/runtime/src/small.ts: needs no exception',
    ])
  })

  test('a reference to a decision that does not exist', () => {
    expect(namedIdsOf('as R-99 says, not as SHA-256 or x-R-1')).toEqual(['R-99'])
    expect(DECISIONS).not.toContain('R-99')
  })
})
