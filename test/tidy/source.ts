/** Reads the project's source files for the tidy rules: text, syntax tree, comments. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A node of the syntax tree (ESTree with TypeScript). */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

export interface Source {
  /** Path from the root of the repository: `packages/server/src/wallet/queue/rules-path.ts`. */
  readonly path: string
  readonly text: string
  /** Every node of the tree, outer nodes first. */
  readonly nodes: readonly Node[]
  readonly comments: readonly { readonly value: string; readonly start: number }[]
}

export function sourceOf(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  return { path, text, nodes: nodesOf(program), comments }
}

export function sourcesIn(folders: readonly string[]): Source[] {
  return folders.flatMap((folder) => filesIn(folder, ['.ts', '.tsx', '.mjs'])).map((path) => sourceOf(path, read(path)))
}

/** The names of the packages: `protocol`, `server`, … */
export const PACKAGES = readdirSync(join(ROOT, 'packages')).sort()

/** The folder `src` of each package but the console. */
export const SRC_FOLDERS = PACKAGES.filter((name) => name !== 'console').map((name) => `packages/${name}/src`)

export const TEST_FOLDERS = [
  'test',
  ...PACKAGES.map((name) => `packages/${name}/test`).filter((folder) => existsSync(join(ROOT, folder))),
]

export function filesIn(folder: string, endings: readonly string[]): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => endings.some((ending) => name.endsWith(ending))).map((name) => join(folder, name))
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf)
  if (!isNode(value)) return []
  return [value, ...Object.values(value).flatMap(nodesOf)]
}

export function memberOf(node: Node, name: string): Node | undefined {
  const member = node[name]
  return isNode(member) ? member : undefined
}

export function lineOf({ text }: Source, position: number): number {
  return text.slice(0, position).split('\n').length
}

export interface Import {
  readonly from: string
  readonly isTypeOnly: boolean
  /** `import(…)`, which is evaluated when the code runs. */
  readonly isLater: boolean
  readonly line: number
}

const PACKAGE_NAME = /^(?:@purser\/(\w+)|purser)\/(.+)$/

/** The file that `from` names in the file at `path`: `packages/…`; undefined for other modules. */
export function importedFile(path: string, from: string): string | undefined {
  if (from.startsWith('.')) return posix.join(posix.dirname(path), from)
  const [, name = 'server', file] = PACKAGE_NAME.exec(from) ?? []
  return file === undefined ? undefined : `packages/${name}/src/${/\.css$/.test(file) ? file : withEnding(name, file)}`
}

function withEnding(name: string, file: string): string {
  return existsSync(join(ROOT, `packages/${name}/src/${file}.mjs`)) ? `${file}.mjs` : `${file}.ts`
}

const IMPORTING = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression']

export function importsOf(source: Source): Import[] {
  return source.nodes.flatMap((node) => {
    const from = IMPORTING.includes(node.type) ? memberOf(node, 'source')?.value : undefined
    if (typeof from !== 'string') return []
    const specifiers = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : []
    const values = specifiers.filter((one) => (one.importKind ?? one.exportKind) !== 'type')
    const isTypeOnly = (node.importKind ?? node.exportKind) === 'type' || (specifiers.length > 0 && values.length === 0)
    return [{ from, isTypeOnly, isLater: node.type === 'ImportExpression', line: lineOf(source, node.start) }]
  })
}
