/** Who may import whom (architecture.md, Allowed imports). Anything that is not allowed here is a complaint. */
import { posix } from 'node:path'
import { type Import, importsOf, type Source } from './source.ts'

/**
 * Per part of src/: the parts and files that it may import, beside its own. A part is the longest of these names that a
 * path begins with. `types of x` allows what is gone at run time.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['everything'],
  'commands.ts': ['everything'],
  process: ['everything'],
  sandbox: ['config', 'process', 'types of people', 'http', 'db', 'protocol', 'runtime', 'reconcile'],
  runtime: [],
  config: ['protocol', 'db/postgres-url.ts', 'types of db', 'runtime'],
  protocol: [],
  db: ['protocol', 'runtime'],
  ledger: ['db', 'protocol/money.ts', 'protocol/wire-ids.ts', 'runtime'],
  http: ['db/database-errors.ts', 'db/db.ts', 'protocol', 'runtime'],
  people: ['db', 'http', 'protocol', 'runtime'],
  feed: ['feed/webhooks', 'db', 'http', 'protocol', 'runtime'],
  'feed/webhooks': ['feed', 'people', 'wallet-client', 'db', 'http', 'protocol', 'runtime'],
  wallet: [
    'types of feed',
    'wallet/wire',
    'wallet/apply',
    'wallet/decide',
    'wallet/store',
    'db',
    'http',
    'protocol',
    'runtime',
  ],
  'wallet/wire': [
    'types of feed',
    'wallet',
    'wallet/apply',
    'wallet/decide',
    'wallet/store',
    'ledger',
    'db',
    'http/auth-throttle.ts',
    'http/partner-wire.ts',
    'http/request-span.ts',
    'protocol',
    'runtime',
  ],
  'wallet/apply': [
    'types of feed',
    'wallet/decide',
    'wallet/store',
    'ledger',
    'db',
    'http/cooperative-scheduler.ts',
    'protocol',
    'runtime',
  ],
  'wallet/decide': ['protocol', 'ledger/posting.ts', 'types of wallet/store', 'types of ledger'],
  'wallet/store': [
    'feed/change-store.ts',
    'feed/feed-audit.ts',
    'wallet/decide/replay-detection.ts',
    'wallet/decide/player-restrictions.ts',
    'types of wallet/decide',
    'types of wallet/apply',
    'ledger',
    'db',
    'protocol',
    'runtime',
  ],
  operator: [
    'feed',
    'feed/webhooks',
    'wallet/store',
    'wallet/bet-audit.ts',
    'types of wallet/decide',
    'ledger',
    'db',
    'http',
    'people',
    'protocol',
    'runtime',
  ],
  archive: ['ledger', 'wallet/store', 'db', 'protocol', 'runtime'],
  move: ['wallet/store', 'feed', 'db', 'runtime'],
  'wallet-client': ['protocol', 'runtime'],
  'wallet-client/call-targets.ts': ['types of people', 'db', 'runtime'],
  'platform/store': ['feed/change-store.ts', 'types of people', 'wallet-client', 'db', 'protocol', 'runtime'],
  platform: [
    'platform/store',
    'feed/feed-audit.ts',
    'feed/feed-retention.ts',
    'wallet-client',
    'wallet-client/call-targets.ts',
    'db',
    'protocol',
    'runtime',
  ],
  'platform/bets': ['platform', 'platform/store', 'types of people', 'wallet-client', 'db', 'protocol', 'runtime'],
  'platform/placement': [
    'platform',
    'platform/bets',
    'platform/store',
    'types of people',
    'wallet-client',
    'db',
    'protocol',
    'runtime',
  ],
  'platform/delivery': ['platform', 'platform/store', 'types of people', 'wallet-client', 'db', 'protocol', 'runtime'],
  'platform/recovery': ['platform/delivery', 'platform/bets', 'platform/store', 'db', 'protocol', 'runtime'],
  'platform/platform.ts': [
    'platform',
    'platform/recovery',
    'platform/placement',
    'platform/delivery',
    'platform/bets',
    'wallet-client',
    'db',
    'protocol',
    'runtime',
  ],
  'platform/api': [
    'platform/platform.ts',
    'platform',
    'platform/placement',
    'platform/delivery',
    'platform/bets',
    'platform/store',
    'wallet-client',
    'db',
    'feed',
    'http',
    'people',
    'protocol',
    'runtime',
  ],
  gateway: ['wallet-client', 'wallet-client/call-targets.ts', 'db', 'feed', 'http', 'people', 'protocol', 'runtime'],
  conformance: ['wallet-client', 'timeline', 'protocol', 'runtime'],
  timeline: ['protocol', 'runtime/markup-escaping.ts'],
  reconcile: ['types of config', 'http/api-client.ts', 'wallet/store/bucket.ts', 'db', 'protocol', 'runtime'],
  load: ['wallet-client', 'http/api-client.ts', 'protocol', 'runtime'],
  simulate: ['everything'],
}

/** Contracts are pure: these modules compute and do nothing else. */
const PURE_MODULES = ['node:crypto', 'node:buffer', 'node:zlib', 'typebox', 'typebox/compile']

export function complaintsAboutArrows(source: Source): string[] {
  const from = inSrc(source.path)
  const part = partOf(from)
  if (part === undefined) return [`${source.path}: is in no part of the architecture`]
  return importsOf(source).flatMap((found) => {
    const target = found.from.startsWith('.') ? posix.join(posix.dirname(from), found.from) : undefined
    const isAllowed = target === undefined ? mayUseModule(part, found.from) : mayImport(part, target, found.isTypeOnly)
    return isAllowed ? [] : [`${source.path}:${found.line}: ${part} must not import ${target ?? found.from}`]
  })
}

function inSrc(path: string): string {
  return path.replace(/^src\//, '')
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
  return (part !== 'protocol' && part !== 'wallet/decide') || PURE_MODULES.includes(module)
}

/** Loops of imports at run time: the first file of each that is found, with the way around. */
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

/** Parts that import each other, types included: one import in each direction. */
export function complaintsAboutMutualParts(sources: readonly Source[]): string[] {
  const arrows = new Map(sources.flatMap((source) => partsUsedBy(source)))
  return [...arrows].flatMap(([arrow, place]) => {
    const [from = '', to = ''] = arrow.split(' → ')
    return arrows.has(`${to} → ${from}`) ? [`${place}: ${from} and ${to} import each other`] : []
  })
}

function partsUsedBy(source: Source): [arrow: string, place: string][] {
  const [from, path] = [partOf(inSrc(source.path)), inSrc(source.path)]
  return importsOf(source).flatMap((found) => {
    const to = found.from.startsWith('.') ? partOf(posix.join(posix.dirname(path), found.from)) : undefined
    return to === undefined || to === from ? [] : [[`${from} → ${to}`, `${source.path}:${found.line}`]]
  })
}

const MAIN = 'src/commands.ts'
/** What every command waits for, `--help` too. Servers load half a second of modules, so what only one command needs is imported when it runs. */
const LOADED_AT_ONCE = ['commander', 'pg-connection-string']

/** Packages that the program loads before it knows its command, each with the way to it. */
export function complaintsAboutTheStart(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const seen = new Set<string>()
  const visit = (path: string, way: readonly string[]): string[] => {
    const source = byPath.get(path)
    if (source === undefined || seen.has(path)) return []
    seen.add(path)
    const now = importsOf(source).filter(({ isTypeOnly, isLater }) => !isTypeOnly && !isLater)
    const heavy = now.filter(({ from }) => !/^(\.|node:)/.test(from) && !LOADED_AT_ONCE.includes(from))
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
  const own = imports.filter(({ from }) => from.startsWith('.'))
  return own.map(({ from }) => posix.join(posix.dirname(path), from))
}
