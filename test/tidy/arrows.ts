/** Who may import whom (architecture.md, Allowed imports). Anything that is not allowed here is a complaint. */
import { posix } from 'node:path'
import { importsOf, type Source } from './source.ts'

/**
 * Per part of src/: the parts and files that it may import, beside its own. A part is the longest of these names that a
 * path begins with. `types of x` allows what is gone at run time.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['everything'],
  process: ['everything'],
  'serve.ts': ['everything'],
  'serve-platform.ts': ['everything'],
  'serve-gateway.ts': ['everything'],
  sandbox: [
    'config.ts',
    'serve.ts',
    'serve-platform.ts',
    'serve-gateway.ts',
    'db',
    'protocol',
    'logger.ts',
    'markup.ts',
    'reconcile',
  ],
  'api-reference.ts': [],
  'config.ts': [
    ...['settings.ts', 'production.ts', 'private-folder.ts', 'protocol', 'types of db'],
    ...['db/postgres-url.ts', 'wrong-use.ts'],
  ],
  'private-folder.ts': ['wrong-use.ts'],
  'production.ts': ['settings.ts'],
  'money-settings.ts': ['types of config.ts', 'db', 'protocol', 'types of settings.ts', 'wrong-use.ts'],
  'schema-commands.ts': ['help.ts', 'config.ts', 'money-settings.ts', 'db', 'wrong-use.ts'],
  'settings.ts': [],
  'help.ts': ['settings.ts'],
  'stopping.ts': [],
  'clock.ts': [],
  'version.ts': [],
  'wrong-use.ts': [],
  'logger.ts': [],
  'group.ts': [],
  'in-time.ts': [],
  'remembered.ts': [],
  'markup.ts': [],
  protocol: [],
  db: ['protocol', 'private-folder.ts', 'wrong-use.ts'],
  ledger: ['db', 'protocol/money.ts', 'protocol/ids.ts', 'group.ts', 'wrong-use.ts'],
  http: ['db/errors.ts', 'db/db.ts', 'protocol', 'logger.ts', 'version.ts', 'remembered.ts'],
  people: ['db', 'http', 'protocol'],
  'wallet/decide': ['protocol', 'ledger/posting.ts', 'types of wallet', 'types of ledger'],
  wallet: [
    'wallet/decide',
    'ledger',
    'db',
    'http/wire.ts',
    'http/turns.ts',
    'protocol',
    'clock.ts',
    'logger.ts',
    'group.ts',
    'in-time.ts',
  ],
  operator: [
    ...['wallet/bet-store.ts', 'wallet/player.ts', 'wallet/session.ts', 'wallet/bucket.ts', 'wallet/audit.ts'],
    ...['types of wallet/decide', 'ledger', 'db', 'http', 'people', 'protocol', 'clock.ts', 'logger.ts'],
  ],
  'wallet-client': ['protocol', 'clock.ts', 'logger.ts'],
  platform: ['wallet-client', 'db', 'http', 'people', 'protocol', 'clock.ts', 'logger.ts', 'group.ts', 'remembered.ts'],
  reconcile: ['types of config.ts', 'db', 'protocol', 'wrong-use.ts'],
  gateway: ['wallet-client', 'db', 'http', 'people', 'protocol', 'clock.ts', 'logger.ts', 'in-time.ts'],
  conformance: ['wallet-client', 'protocol', 'clock.ts', 'version.ts', 'markup.ts', 'wrong-use.ts'],
  load: ['wallet-client', 'protocol', 'clock.ts'],
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

function runTimeTargets(source: Source): string[] {
  const found = importsOf(source).filter(({ from, isTypeOnly }) => from.startsWith('.') && !isTypeOnly)
  return found.map(({ from }) => posix.join(posix.dirname(source.path), from))
}
