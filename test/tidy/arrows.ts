/**
 * Lists the imports that are allowed between folders (architecture.md). The test reports every
 * import that this table does not name.
 */
import { type Import, importedFile, importsOf, type Source } from './source.ts'

const CORE = 'server/core'
const WALLET = 'server/wallet'
const PLATFORM = 'server/platform'
/** Parts that every server may import. */
const SHARED = [`${CORE}/`, 'protocol', 'protocol/client', 'runtime']

/**
 * For each part of a package, the parts and files that it may import in addition to its own. A part
 * is a path without `packages/` and `src/`; a path belongs to the part with the longest matching
 * name. `types of x` allows imports that are erased at run time. A name that ends with a slash
 * allows every part below it.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'server/main.ts': ['everything'],
  runtime: [],
  protocol: [],
  'protocol/client': ['protocol', 'runtime'],
  timeline: ['protocol', 'runtime/text/markup-escaping.ts'],
  conformance: ['timeline', 'protocol', 'protocol/client', 'runtime'],
  simulator: ['everything'],
  console: [
    'timeline',
    'protocol',
    'runtime',
    `${WALLET}/rules`,
    `${WALLET}/ledger/posting.ts`,
    `types of ${WALLET}/store`,
    'server/reconcile/bet-comparison.ts',
    'server/reconcile/bet-sides.ts',
    'server/reconcile/platform-row.ts',
    'server/reconcile/side-description.ts',
    `${CORE}/http/api/key-rights.ts`,
  ],
  'server/cli': ['everything'],
  'server/sandbox': ['server/servers', 'server/reconcile', 'conformance', ...SHARED],
  'server/servers': [`${WALLET}/`, `${PLATFORM}/`, 'server/gateway', 'conformance', ...SHARED],
  'server/reconcile': [
    'types of server/core/config',
    `${CORE}/database`,
    `${WALLET}/store/bucket.ts`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  'server/gateway': SHARED,
  [`${CORE}/observability`]: ['runtime'],
  [`${CORE}/partner-wire`]: [`${CORE}/observability`, 'protocol', 'runtime'],
  [`${CORE}/database`]: [`${CORE}/observability`, 'protocol', 'runtime'],
  [`${CORE}/config`]: [
    `${CORE}/database/postgres/postgres-url.ts`,
    `types of ${CORE}/database`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [`${CORE}/http`]: [
    `${CORE}/database/database-errors.ts`,
    `${CORE}/database/db.ts`,
    `${CORE}/partner-wire`,
    `${CORE}/observability`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [`${CORE}/auth`]: [`${CORE}/http`, `${CORE}/database`, `${CORE}/observability`, 'protocol', 'runtime'],
  [`${CORE}/change-feed`]: [`${CORE}/http`, `${CORE}/database`, `${CORE}/observability`, 'protocol', 'runtime'],
  [`${CORE}/call-journal`]: [`${CORE}/change-feed`, `${CORE}/http`, `${CORE}/database`, 'protocol', 'runtime'],
  [`${CORE}/partners`]: [
    `types of ${CORE}/auth`,
    `${CORE}/http`,
    `${CORE}/database`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [`${CORE}/webhooks`]: [
    `${CORE}/change-feed`,
    `${CORE}/auth`,
    `${CORE}/partners`,
    `${CORE}/http`,
    `${CORE}/database`,
    `${CORE}/observability`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [`${WALLET}/ledger`]: [
    `${CORE}/database`,
    `${CORE}/observability`,
    'protocol/values/money.ts',
    'protocol/wire-ids.ts',
    'runtime',
  ],
  [`${WALLET}/rules`]: [
    `${WALLET}/ledger/posting.ts`,
    `types of ${WALLET}/store`,
    `types of ${WALLET}/ledger`,
    'protocol',
  ],
  [`${WALLET}/store`]: [
    `${WALLET}/rules/replay-detection.ts`,
    `${WALLET}/rules/player-restrictions.ts`,
    `types of ${WALLET}/rules`,
    `types of ${WALLET}/queue`,
    `${WALLET}/ledger`,
    `${CORE}/change-feed/change-store.ts`,
    `${CORE}/change-feed/feed-audit.ts`,
    `${CORE}/database`,
    'protocol',
    'runtime',
  ],
  [`${WALLET}/queue`]: [
    `${WALLET}/rules`,
    `${WALLET}/store`,
    `${WALLET}/ledger`,
    `types of ${CORE}/change-feed`,
    `${CORE}/partner-wire/cooperative-scheduler.ts`,
    `${CORE}/database`,
    'protocol',
    'runtime',
  ],
  [`${WALLET}/wire`]: [
    `types of ${WALLET}`,
    `${WALLET}/queue`,
    `${WALLET}/rules`,
    `${WALLET}/store`,
    `${WALLET}/ledger`,
    `types of ${CORE}/call-journal`,
    `${CORE}/http/auth-throttle.ts`,
    `${CORE}/partner-wire/partner-wire.ts`,
    `types of ${CORE}/partner-wire/call-server.ts`,
    `${CORE}/observability`,
    `${CORE}/database`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [WALLET]: [
    `${WALLET}/wire`,
    `${WALLET}/queue`,
    `${WALLET}/rules`,
    `${WALLET}/store`,
    `types of ${CORE}/call-journal`,
    `${CORE}/partner-wire`,
    `${CORE}/observability`,
    `${CORE}/http`,
    `${CORE}/database`,
    'protocol',
    'runtime',
  ],
  [`${WALLET}/operator-api`]: [
    `${WALLET}/store`,
    `${WALLET}/bet-audit.ts`,
    `types of ${WALLET}/rules`,
    `${WALLET}/ledger`,
    ...SHARED,
  ],
  [`${WALLET}/archive`]: [`${WALLET}/ledger`, `${WALLET}/store`, `${CORE}/database`, 'protocol', 'runtime'],
  [`${WALLET}/relocate`]: [`${WALLET}/store`, `${CORE}/change-feed`, `${CORE}/database`, 'runtime'],
  [`${PLATFORM}/store`]: [
    `${CORE}/change-feed/change-store.ts`,
    `types of ${CORE}/auth`,
    `${CORE}/database`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [PLATFORM]: [
    `${PLATFORM}/store`,
    `${CORE}/change-feed/feed-audit.ts`,
    `${CORE}/change-feed/feed-retention.ts`,
    `${CORE}/partners/call-targets.ts`,
    `${CORE}/observability`,
    `${CORE}/database`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [`${PLATFORM}/bets`]: [
    PLATFORM,
    `${PLATFORM}/store`,
    `types of ${CORE}/auth`,
    `${CORE}/database`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [`${PLATFORM}/placement`]: [
    PLATFORM,
    `${PLATFORM}/bets`,
    `${PLATFORM}/store`,
    `types of ${CORE}/auth`,
    `${CORE}/database`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [`${PLATFORM}/delivery`]: [
    PLATFORM,
    `${PLATFORM}/store`,
    `types of ${CORE}/auth`,
    `${CORE}/database`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [`${PLATFORM}/recovery`]: [
    `${PLATFORM}/delivery`,
    `${PLATFORM}/bets`,
    `${PLATFORM}/store`,
    `${CORE}/database`,
    'protocol',
    'runtime',
  ],
  [`${PLATFORM}/platform.ts`]: [
    PLATFORM,
    `${PLATFORM}/recovery`,
    `${PLATFORM}/placement`,
    `${PLATFORM}/delivery`,
    `${PLATFORM}/bets`,
    `${CORE}/database`,
    'protocol',
    'protocol/client',
    'runtime',
  ],
  [`${PLATFORM}/api`]: [
    `${PLATFORM}/platform.ts`,
    PLATFORM,
    `${PLATFORM}/placement`,
    `${PLATFORM}/delivery`,
    `${PLATFORM}/bets`,
    `${PLATFORM}/store`,
    ...SHARED,
  ],
}

/** A contract computes and does nothing else, so it may import only these modules. */
const PURE_MODULES = ['node:crypto', 'node:buffer', 'node:zlib', 'typebox', 'typebox/compile']

export function complaintsAboutArrows(source: Source): string[] {
  const part = partOf(placeOf(source.path))
  if (part === undefined) return [`${source.path}: is in no part of the architecture`]
  return importsOf(source).flatMap((found) => {
    const file = importedFile(source.path, found.from)
    const target = file && placeOf(file)
    const isAllowed = target === undefined ? mayUseModule(part, found.from) : mayImport(part, target, found.isTypeOnly)
    if (!isAllowed) return [`${source.path}:${found.line}: ${part} must not import ${target ?? found.from}`]
    return leavesPackage(source.path, found.from)
      ? [`${source.path}:${found.line}: ${found.from} is in another package: import it by the package's name`]
      : []
  })
}

/** `packages/server/src/core/x.ts` is `server/core/x.ts`. */
function placeOf(path: string): string {
  return path.replace(/^packages\/(\w+)\/src\//, '$1/')
}

function leavesPackage(path: string, from: string): boolean {
  const packageOf = (file = '') => file.split('/', 2).join('/')
  return from.startsWith('.') && packageOf(importedFile(path, from)) !== packageOf(path)
}

/** Modules that a package imports although its package.json does not name them. */
export function complaintsAboutDependencies(source: Source, named: readonly string[]): string[] {
  const modules = importsOf(source).filter(({ from }) => !/^(\.|node:)/.test(from))
  return modules.flatMap(({ from, line }) => {
    const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/')
    return named.includes(name) ? [] : [`${source.path}:${line}: the package's package.json does not name ${name}`]
  })
}

function partOf(path: string): string | undefined {
  const parts = Object.keys(ALLOWED).filter((part) => path === part || path.startsWith(`${part}/`))
  return parts.sort((a, b) => b.length - a.length)[0]
}

function mayImport(part: string, target: string, isTypeOnly: boolean): boolean {
  if (partOf(target) === part) return true
  return (ALLOWED[part] ?? []).some((allowed) => {
    const name = allowed.replace('types of ', '')
    if (name !== allowed && !isTypeOnly) return false
    return (
      name === 'everything' ||
      (name.endsWith('/') && target.startsWith(name)) ||
      target === name ||
      (partOf(target) === name && !name.endsWith('.ts')) ||
      isBelow(target, name)
    )
  })
}

function isBelow(target: string, folder: string): boolean {
  return target.startsWith(`${folder}/`) && partOf(target) === partOf(folder)
}

function mayUseModule(part: string, module: string): boolean {
  return (part !== 'protocol' && part !== `${WALLET}/rules`) || PURE_MODULES.includes(module)
}

/** Import cycles at run time: the first from each file, with its path. */
export function complaintsAboutLoops(sources: readonly Source[]): string[] {
  const targets = new Map(sources.map((source) => [source.path, runTimeTargets(source)]))
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]): string[] => {
    if (way.includes(path)) return [`imports run in a loop: ${[...way.slice(way.indexOf(path)), path].join(' → ')}`]
    if (done.has(path)) return []
    const found = (targets.get(path) ?? []).flatMap((target) => visit(target, [...way, path]))
    done.add(path)
    return found
  }
  return sources.flatMap(({ path }) => visit(path, []))
}

/** Parts that import each other, types included; the report names one import per direction. */
export function complaintsAboutMutualParts(sources: readonly Source[]): string[] {
  const arrows = new Map(sources.flatMap((source) => partsUsedBy(source)))
  return [...arrows].flatMap(([arrow, place]) => {
    const [from = '', to = ''] = arrow.split(' → ')
    return arrows.has(`${to} → ${from}`) ? [`${place}: ${from} and ${to} import each other`] : []
  })
}

function partsUsedBy(source: Source): [arrow: string, place: string][] {
  const from = partOf(placeOf(source.path))
  return importsOf(source).flatMap((found) => {
    const file = importedFile(source.path, found.from)
    const to = file && partOf(placeOf(file))
    return to === undefined || to === from ? [] : [[`${from} → ${to}`, `${source.path}:${found.line}`]]
  })
}

const MAIN = 'packages/server/src/cli/commands.ts'
/**
 * Packages that every command loads, `--help` too. Servers load for half a second, so modules of
 * one command are imported when it runs.
 */
const LOADED_AT_ONCE = ['commander', 'pg-connection-string']

/** Packages that the program loads before it knows its command, each with the chain of imports. */
export function complaintsAboutTheStart(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const seen = new Set<string>()
  const visit = (path: string, way: readonly string[]): string[] => {
    const source = byPath.get(path)
    if (source === undefined || seen.has(path)) return []
    seen.add(path)
    const now = importsOf(source).filter(({ isTypeOnly, isLater }) => !isTypeOnly && !isLater)
    const heavy = now.filter(({ from }) => !/^(\.|node:|@?purser\/)/.test(from) && !LOADED_AT_ONCE.includes(from))
    const here = heavy.map(({ from }) => `every command loads ${from}: ${[...way, path].join(' → ')}`)
    return [...here, ...filesOf(source, now).flatMap((target) => visit(target, [...way, path]))]
  }
  return visit(MAIN, [])
}

function runTimeTargets(source: Source): string[] {
  return filesOf(
    source,
    importsOf(source).filter(({ isTypeOnly }) => !isTypeOnly),
  )
}

function filesOf({ path }: Source, imports: readonly Pick<Import, 'from'>[]): string[] {
  return imports.map(({ from }) => importedFile(path, from)).filter((file) => file !== undefined)
}
