/**
 * Links and decision ids in the documentation have a target. The long tests run the commands of the
 * documentation.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { describe, expect, it, test } from 'vitest'
import { anchorsOf, blocksOf, definedIdsOf, namedIdsOf, relativeLinksOf } from './docs/markdown.ts'
import { ROOT } from './docs/session.ts'

/** Packages with a README, which has the purpose, the use, the folders and the invariants. */
const PACKAGES = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...PACKAGES.map((folder) => `${folder}/README.md`),
  ...filesBelow('packages/simulator/src/reports', '.md'),
  ...filesBelow('docs', '.md'),
]
const DECISIONS = 'docs/reference/decisions.md'

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function filesBelow(folder: string, extension: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith(extension)).map((name) => join(folder, name))
}

const RECORDS = 'docs/internals/decisions/'

/** Paths below docs, as the index links them. Decision records have an index of their own. */
function pagesOfDocs(): string[] {
  return filesBelow('docs', '.md')
    .filter((path) => !path.startsWith(RECORDS) || path === `${RECORDS}README.md`)
    .map((path) => path.replace('docs/', ''))
    .filter((path) => path !== 'README.md')
}

/** Names such as `lanes-and-batches.md`. */
function decisionRecords(): string[] {
  return filesBelow(RECORDS, '.md')
    .map((path) => path.replace(RECORDS, ''))
    .filter((name) => name !== 'README.md')
}

it.each(PAGES)('the sh blocks of %s need only a build, since the long tests run pages in a separate folder', (page) => {
  const commands = blocksOf(read(page)).filter(({ info }) => info === 'sh' || info === 'sh server')
  expect(
    commands.filter(({ text }) => /\bnpm run |(?<!npx)(?:^|\s)purser /m.test(text)).map(({ line }) => line),
  ).toEqual([])
})

it.each(PAGES)('every link in %s has a target', (page) => {
  expect(relativeLinksOf(read(page)).filter((target) => !leadsSomewhere(page, target))).toEqual([])
})

test('one table lists all exit codes', () => {
  const codesIn = (page: string) => [...read(page).matchAll(/^\| (\d{1,3}) \|/gm)].map(([, code]) => Number(code))
  const page = 'docs/reference/exit-codes.md'
  expect(codesIn(page)).toEqual([0, ...Object.values(EXIT_CODES)])
  expect(PAGES.filter((one) => one !== page && codesIn(one).includes(EXIT_CODES.interrupted))).toEqual([])
})

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(ROOT, file))) return false
  return anchor === undefined || anchorsIn(file).has(anchor)
}

const anchors = new Map<string, ReadonlySet<string>>()
/** Thousands of links lead to a few long pages, so each page is parsed once. */
function anchorsIn(file: string): ReadonlySet<string> {
  const known = anchors.get(file) ?? new Set(anchorsOf(read(file)))
  anchors.set(file, known)
  return known
}

describe('a decision id', () => {
  const defined = definedIdsOf(read(DECISIONS))
  const isDefined = new Set(defined)

  it('is defined exactly once', () => {
    expect(new Set(defined).size).toBe(defined.length)
    expect(defined.length).toBeGreaterThan(30)
  })

  it('has its own anchor, and a text below its heading', () => {
    const sections = read(DECISIONS)
      .split(/^(?=##)/m)
      .filter((section) => definedIdsOf(section).length > 0)
    const isComplete = /^### <a id="([a-z]-\d+)"><\/a>([A-Z]-\d+): .+\n\n\S/
    expect(
      sections.filter((section) => isComplete.exec(section)?.[1] !== definedIdsOf(section)[0]?.toLowerCase()),
    ).toEqual([])
  })

  it.each(PAGES)('that %s names is defined', (page) => {
    expect(namedIdsOf(read(page)).filter((id) => !isDefined.has(id))).toEqual([])
  })

  it.each(PAGES)('that %s links has its own section as the target', (page) => {
    const links = [...read(page).matchAll(/\[([A-Z]-\d+)[^\]]*\]\(([^)\s]*)[^)]*\)/g)]
    expect(links.filter(([, id, to]) => !to?.endsWith(`#${id?.toLowerCase()}`)).map(([link]) => link)).toEqual([])
  })
})

function namesIn(path: string, pattern: RegExp): string[] {
  return [...read(path).matchAll(pattern)].map(({ 1: name = '' }) => name)
}

function keysOf(path: string, member: string): string[] {
  const content = JSON.parse(read(path)) as Record<string, object>
  return Object.keys(content[member] ?? {})
}

/** The package.json of each package names these modules of other projects. */
function allDependencies(member: string): string[] {
  const names = PACKAGES.filter((folder) => folder !== 'packages/console').flatMap((folder) =>
    keysOf(`${folder}/package.json`, member),
  )
  return [...new Set(names)].filter((name) => !/^(@purser\/|purser$)/.test(name))
}

type Bodies = Record<string, { readonly examples: Record<string, { readonly value: unknown }> }>
interface Call {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly requestBody?: { readonly content: Bodies }
  readonly responses: Record<string, { readonly content?: Bodies }>
}
interface Schema {
  readonly properties?: object
}
const WALLET = JSON.parse(read('packages/server/openapi/wallet.json')) as {
  readonly paths: Record<string, Record<string, Call>>
  readonly components: { readonly schemas: Record<string, Schema> }
}

const COMPLETE = [
  [
    'anomalies',
    namesIn('packages/server/src/wallet/rules/decision.ts', /^ {2}'(\w+)',$/gm),
    'docs/operations/anomalies.md',
  ],
  ['metrics', namesIn('packages/server/src/wallet/wallet-metrics.ts', /'(wallet_\w+)'/g), 'docs/reference/metrics.md'],
  ['runtime dependencies', allDependencies('dependencies'), 'docs/internals/decisions/dependencies.md'],
  ['optional dependencies', allDependencies('optionalDependencies'), 'docs/internals/decisions/dependencies.md'],
  ['pages', pagesOfDocs(), 'docs/README.md'],
  ['decision records', decisionRecords(), `${RECORDS}README.md`],
  ['paths of the API', keysOf('packages/server/openapi/wallet.json', 'paths'), 'docs/reference/http-api.md'],
  [
    'paths of the platform API',
    keysOf('packages/server/openapi/platform.json', 'paths'),
    'docs/reference/platform-api.md',
  ],
] as const

test.each(COMPLETE)('the page lists all %s of the code', (_what, names, page) => {
  const text = read(page)
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !text.includes(name))).toEqual([])
})

describe('the page of the HTTP API', () => {
  const page = read('docs/reference/http-api.md')
  const shown = blocksOf(page).flatMap(({ info, text }) => {
    const [, operation = '', name = '', answer] = /^json (\w+)\.(\w+)( answer)?$/.exec(info) ?? []
    return operation === '' ? [] : [{ operation, name, isAnswer: answer !== undefined, text }]
  })
  const calls = Object.values(WALLET.paths).flatMap((path) =>
    Object.values(path).filter(({ tags }) => tags.includes('Partner wire')),
  )

  it('shows the body of each call', () => {
    expect(calls.length).toBeGreaterThan(3)
    const missing = calls.filter(({ operationId }) => !shown.some(({ operation }) => operation === operationId))
    expect(missing.map(({ operationId }) => operationId)).toEqual([])
  })

  it.each(shown)('shows for $operation the $name of the API description', ({ operation, name, isAnswer, text }) => {
    const call = calls.find(({ operationId }) => operationId === operation)
    const content = isAnswer ? call?.responses['200']?.content : call?.requestBody?.content
    expect(JSON.parse(text)).toEqual(content?.['application/json']?.examples[name]?.value)
  })

  it('names every member of the profile', () => {
    const { UserProfile, CustomFields } = WALLET.components.schemas
    const members = [UserProfile, CustomFields].flatMap((schema) => Object.keys(schema?.properties ?? {}))
    expect(members.length).toBeGreaterThan(20)
    expect(members.filter((member) => !new RegExp(`[\`"]${member}[\`"]`).test(page))).toEqual([])
  })
})

test('a process opens the number of connections that the guide gives, plus one for each lane', () => {
  const sizes = namesIn(
    'packages/server/src/core/database/postgres/postgres.ts',
    /^const (?!LANE_)\w*POOL_SIZE = (\d+)$/gm,
  ).map(Number)
  const most = sizes.reduce((sum, size) => sum + size, 0)
  expect(sizes.length).toBeGreaterThan(3)
  expect(/opens up to (\d+) connections/.exec(read('docs/guides/run-in-production.md'))?.[1]).toBe(`${most}`)
})

test('the documentation explains each word once', () => {
  const words = namesIn('docs/reference/glossary.md', /^\| (\*\*.+?\*\*) \|/gm).flatMap(
    (row) => row.match(/\*\*.+?\*\*/g) ?? [],
  )
  expect(words.length).toBeGreaterThan(20)
  expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([])
})

test('the README has at most 500 words and eight links to pages', () => {
  const text = read('README.md')
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(500)
  expect(relativeLinksOf(text).filter((target) => !target.endsWith('.gif')).length).toBeLessThanOrEqual(8)
})

test('the guide CONTRIBUTING has at most 900 words', () => {
  expect(read('CONTRIBUTING.md').trim().split(/\s+/).length).toBeLessThanOrEqual(900)
})

test.each(PACKAGES)('the README of %s has 150 to 400 words', (folder) => {
  const words = read(`${folder}/README.md`).trim().split(/\s+/).length
  expect(words).toBeGreaterThanOrEqual(150)
  expect(words).toBeLessThanOrEqual(400)
})

test.each(decisionRecords())('the decision record %s has at most 800 words', (name) => {
  expect(read(`${RECORDS}${name}`).trim().split(/\s+/).length).toBeLessThanOrEqual(800)
})

test('every file and folder on the map of the code exists', () => {
  const map = blocksOf(read('docs/internals/code-map.md')).find(({ info }) => info === 'text map')
  // An indented folder is below the last folder that is not indented.
  let parent = ''
  const paths = [...(map?.text ?? '').matchAll(/^( *)(\S+)/gm)].map(({ 1: indent = '', 2: name = '' }) => {
    if (indent === '') parent = name
    return indent === '' ? name : `${parent}/${name}`
  })
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('no page names a file of this folder by its absolute path', () => {
  for (const page of PAGES) expect(read(page), page).not.toContain(ROOT)
})
