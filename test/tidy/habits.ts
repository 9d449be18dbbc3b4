/**
 * House rules for source code that a machine can check (architecture.md, Habits). Each rule returns
 * its complaints.
 */
import { groupBy } from '@purser/runtime/group'
import { importedFile, importsOf, lineOf, memberOf, type Node, type Source } from './source.ts'

const MAX_FILE_LINES = 400
const MIN_FILE_LINES = 25
/** Importers that a file of fewer lines needs. With fewer importers it belongs to one of them. */
const MIN_IMPORTERS = 3
const MAX_FUNCTION_LINES = 70
const MAX_FOLDER_FILES = 15

export type Rule = (source: Source) => string[]

function at(source: Source, node: { readonly start: number }, what: string): string {
  return `${source.path}:${lineOf(source, node.start)}: ${what}`
}

export const fileIsShort: Rule = ({ path, text }) => {
  const lines = countLines(text)
  return lines > MAX_FILE_LINES ? [`${path}: ${lines} lines, more than ${MAX_FILE_LINES}`] : []
}

function countLines(text: string): number {
  return text.trimEnd().split('\n').length
}

/** Small files that stay alone, each with the reason. */
export const SMALL_FILES: Readonly<Record<string, string>> = {
  'packages/conformance/src/platform/platform-cases.ts': 'tests and scripts read the list without the command',
  'packages/console/src/app/prefetch-entry.ts': 'it is a script of its own in the page (vite.config.mjs)',
  'packages/runtime/src/network/retry-after.ts':
    'webhooks and deliveries read the header, and may not import each other',
  'packages/server/src/sandbox/frame/frame-schemas.ts': 'two APIs of a frame check the same bodies',
  'packages/simulator/src/market/worker.ts': 'it is the program of a thread (seed-workers.ts)',
  'packages/timeline/src/drawing/stylesheet.ts':
    'it reads a file with Node, but the console needs the rest of the folder',
}

/**
 * Files below 25 lines with fewer than three importers. `entries` are the files that a package
 * names for its users. An exception that is not needed is also a complaint.
 */
export function complaintsAboutSmallFiles(
  sources: readonly Source[],
  entries: readonly string[],
  exceptions: readonly string[] = Object.keys(SMALL_FILES),
): string[] {
  const imported = sources.flatMap((source) => {
    return [...new Set(importsOf(source).map(({ from }) => importedFile(source.path, from)))]
  })
  const importers = groupBy(imported, (path) => path)
  const small = sources
    .filter(({ path, text }) => countLines(text) < MIN_FILE_LINES && !path.endsWith('.d.ts') && !entries.includes(path))
    .map(({ path }) => ({ path, readers: importers.get(path)?.length ?? 0 }))
    .filter(({ readers }) => readers < MIN_IMPORTERS)
  const unused = exceptions.filter((path) => !small.some((file) => file.path === path))
  return [
    ...small
      .filter(({ path }) => !exceptions.includes(path))
      .map(({ path, readers }) => `${path}: fewer than ${MIN_FILE_LINES} lines, and ${readers} importers`),
    ...unused.map((path) => `${path}: needs no exception`),
  ]
}

/** Folders with more than 15 files: they hold more than one noun. */
export function complaintsAboutFolders(paths: readonly string[]): string[] {
  const folders = groupBy(paths, (path) => path.slice(0, path.lastIndexOf('/')))
  return [...folders]
    .filter(([, files]) => files.length > MAX_FOLDER_FILES)
    .map(([folder, files]) => `${folder}: ${files.length} files, more than ${MAX_FOLDER_FILES}`)
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']

/** The callback of `describe` is a list of tests, so its length does not count. */
export const functionsAreShort: Rule = (source) => {
  const lists = source.nodes.filter((node) => /^describe\b/.test(calleeOf(source, node))).flatMap(argumentsOf)
  const functions = source.nodes.filter((node) => FUNCTIONS.includes(node.type) && !lists.includes(node))
  return functions.flatMap((node) => {
    const lines = lineOf(source, node.end) - lineOf(source, node.start) + 1
    return lines > MAX_FUNCTION_LINES
      ? [at(source, node, `a function of ${lines} lines, more than ${MAX_FUNCTION_LINES}`)]
      : []
  })
}

function calleeOf({ text }: Source, node: Node): string {
  const callee = node.type === 'CallExpression' ? memberOf(node, 'callee') : undefined
  return callee === undefined ? '' : text.slice(callee.start, callee.end)
}

function argumentsOf(node: Node): Node[] {
  return Array.isArray(node.arguments) ? node.arguments : []
}

/**
 * Money is a bigint; only protocol/values/money.ts makes or rounds floating-point numbers (M-1).
 */
export const noFloats: Rule = (source) => {
  if (source.path === 'packages/protocol/src/values/money.ts') return []
  const banned = /^(Number|parseFloat|Number\.parseFloat|Math\.round|.*\.toFixed|.*\.toPrecision)$/s
  const calls = source.nodes.filter((node) => banned.test(calleeOf(source, node)))
  const passed = source.nodes
    .flatMap(argumentsOf)
    .filter(({ type, name }) => type === 'Identifier' && (name === 'Number' || name === 'parseFloat'))
  return [...calls, ...passed].map((node) =>
    at(source, node, 'floating-point arithmetic belongs into protocol/money.ts'),
  )
}

const DECIMAL_FILES = ['packages/protocol/src/values/money.ts', 'packages/protocol/src/values/decimal.ts']

/** Only one place parses a decimal text into minor units (M-1). */
export const noDecimals: Rule = (source) => {
  if (DECIMAL_FILES.includes(source.path)) return []
  const text = (node: Node | undefined) => (node === undefined ? '' : source.text.slice(node.start, node.end))
  const counted = source.nodes.filter((node) => {
    if (node.type === 'VariableDeclarator')
      return /^\[\w+ = '0'/.test(text(memberOf(node, 'id'))) && /\.split\('\.'\)$/.test(text(memberOf(node, 'init')))
    return (
      calleeOf(source, node) === 'BigInt' &&
      /padEnd|\b(whole|fraction)\b|split\(/.test(argumentsOf(node).map(text).join())
    )
  })
  return counted.map((node) => at(source, node, 'decimals are parsed in protocol/money.ts and decimal.ts'))
}

/** `scale`, `row.scale`, `scales.get(…)`, `scales[…]`, for any name of the table. */
const A_SCALE = /(^scale|\.scale|scales(\.get\([^()]*\)|\[[^\]]*\]))$/i

/**
 * An amount whose scale is unknown is never shown in a guessed scale (M-5). A second table may
 * follow the first; the kit stores no scales.
 */
export const noFallbackScale: Rule = (source) => {
  if (source.path.startsWith('packages/conformance/src/')) return []
  const text = (node: Node | undefined) => (node === undefined ? '' : source.text.slice(node.start, node.end))
  const guesses = source.nodes.filter((node) => {
    const [left, right] = [memberOf(node, 'left'), memberOf(node, 'right')]
    if (node.type === 'AssignmentPattern') return /^scales?$/i.test(text(left)) && right?.type === 'Literal'
    const isFallback = node.type === 'LogicalExpression' && (node.operator === '??' || node.operator === '||')
    return isFallback && A_SCALE.test(text(left)) && !A_SCALE.test(text(right))
  })
  return guesses.map((node) => at(source, node, 'a scale that is not known is guessed'))
}

export const noDefaultExport: Rule = (source) =>
  source.nodes
    .filter(({ type }) => type === 'ExportDefaultDeclaration')
    .map((node) => at(source, node, 'a default export'))

export const noEnum: Rule = (source) =>
  source.nodes.filter(({ type }) => type === 'TSEnumDeclaration').map((node) => at(source, node, 'an enum'))

export const noAny: Rule = (source) => [
  ...source.nodes.filter(({ type }) => type === 'TSAnyKeyword').map((node) => at(source, node, 'any')),
  ...source.comments
    .filter(({ value }) => /@ts-(ignore|nocheck|expect-error)/.test(value))
    .map((comment) => at(source, comment, 'a suppressed type error')),
]

export const nothingLeftOver: Rule = (source) => [
  ...source.comments
    .filter(({ value }) => /\b(TODO|FIXME|XXX)\b/.test(value))
    .map((comment) => at(source, comment, 'work left over')),
  ...source.nodes
    .filter((node) => /^(describe|test|it)\b.*\.(only|skip|todo)\b/s.test(calleeOf(source, node)))
    .map((node) => at(source, node, 'a test that is not run')),
]

const BUCKETS = /(^|\/)(utils?|common|types?|helpers?|misc|shared|lib)(\/|\.[a-z]+$)/

export const noBucket: Rule = ({ path }) => (BUCKETS.test(path) ? [`${path}: a bucket without a subject`] : [])

export const opensWithComment: Rule = ({ path, text }) =>
  /^(#!.*\n)?\/\*\*/.test(text) ? [] : [`${path}: does not open with what it is for`]

/**
 * A name after these words in SQL is a table, except in `rows from (…)`, `update set`, `for update
 * …` and `distinct from …`.
 */
const TABLE = /(?<!\b(?:for|distinct)\s)\b(?:from|join|into|update|table)\s+(?:only\s+)?([a-z_][\w.]*)(\s*\()?/gi
const IS_SQL = /^\s*(select|insert|update|delete|with|truncate)\b/i

export const sqlIsQualified: Rule = (source) =>
  source.nodes.flatMap((node) => {
    const sql = textOf(source, node)
    if (sql === undefined || !IS_SQL.test(sql) || !/\s/.test(sql.trim())) return []
    const named = [...sql.matchAll(TABLE)].filter(
      ([, name = '', call]) => call === undefined && !/^(set|lateral|unnest|rows)$/i.test(name),
    )
    const bare = named.filter(([, name = '']) => !name.includes('.') && !isDefinedIn(sql, name))
    return bare.map(([, name]) => at(source, node, `SQL names ${name} without its schema`))
  })

/** The text of a literal; each `${…}` of a template becomes `()`. */
function textOf({ text }: Source, node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral') return undefined
  return text.slice(node.start + 1, node.end - 1).replaceAll(/\$\{[^}]*\}/g, '()')
}

function isDefinedIn(sql: string, name: string): boolean {
  return new RegExp(`\\b${name}\\s*(\\([^)]*\\))?\\s+as\\s*(materialized\\s*)?\\(`, 'i').test(sql)
}

const STARTS_A_WALLET = /^(startWallet|spawnWallet|newWallet)$/
const MOVES_MONEY = /^(.*\.deposit|playerWithMoney|newScene|sceneFor|runConformanceWallet)$/s
/** A call of the audit, the comparison in the fault tests, or the command. */
const AUDITS = /\bauditIsClean\(|\.auditIsClean\b|\bexpectSameBets\b|\['audit'/

/**
 * The rule does not check that every test audits. Files of packages/server/test/support leave the
 * audit to the tests.
 */
export const movedMoneyIsAudited: Rule = (source) => {
  const callees = source.nodes.map((node) => calleeOf(source, node))
  const moves = [STARTS_A_WALLET, MOVES_MONEY].every((name) => callees.some((callee) => name.test(callee)))
  const isLeftToTests = source.path.startsWith('packages/server/test/support/') || AUDITS.test(source.text)
  return moves && !isLeftToTests ? [`${source.path}: moves money in a wallet and never audits it`] : []
}
