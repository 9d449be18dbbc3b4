/** What `purser keys` does: the same changes as by API, in the same log. */
import { userInfo } from 'node:os'
import { print } from '../config/help.ts'
import type { Db } from '../db/db.ts'
import { type Author, authorOfCommand, type Said } from '../people/actions.ts'
import { showKey, showMade } from '../people/key-routes.ts'
import { createKeyStore, KEY_NAME_PATTERN, type Made, type NewKey, WHY_NOT_MADE } from '../people/key-store.ts'
import { createKeyChanges } from '../people/keys.ts'
import { OWN, type Server } from '../people/server.ts'
import { isStorable } from '../protocol/ids.ts'
import { world } from '../runtime/world.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { withMigrated } from './with-database.ts'

/** Rows of a list: more than anybody reads. */
const MOST_LISTED = 10_000

export interface Flags extends Said {
  readonly json?: true
}

export async function listKeys(server: string, { json }: Flags): Promise<void> {
  const rows = await withKeys(server, (changes, db) => changes.list(db, undefined, MOST_LISTED))
  const shown = rows.map(showKey)
  if (json) return print(JSON.stringify(shown))
  for (const { name, role, rights, scope, hash, madeAt, endsAt, live, lastUsedAt } of shown)
    print(
      [
        ...[live ? 'live ' : 'ended', name.padEnd(24), role.padEnd(7), hash, madeAt, endsAt ?? ''],
        ...[
          rights?.join(',') ?? '',
          scope === undefined ? '' : `of ${scope}`,
          lastUsedAt === undefined ? '' : `used ${lastUsedAt}`,
        ],
      ]
        .join('  ')
        .trimEnd(),
    )
}

export type MakeFlags = Flags & Omit<NewKey, 'name' | 'expiresAt'> & { readonly expires?: Date }

export async function makeKey(
  server: string,
  name: string,
  { role, rights, scope, expires: expiresAt, ...said }: MakeFlags,
): Promise<void> {
  requireName(name)
  requireScope(scope)
  const made = await withKeys(server, (changes) =>
    changes.make(authorOf(server, 'makeKey', said), { name, role, rights, scope, expiresAt }, new Date(world.wall())),
  )
  tell(made, said)
}

export async function rotateKey(
  server: string,
  name: string,
  { overlap, ...said }: Flags & { overlap: number },
): Promise<void> {
  const made = await withKeys(server, (changes) =>
    changes.rotate(authorOf(server, 'rotateKey', said), name, overlap, new Date(world.wall())),
  )
  tell(made, said)
}

export async function revokeKey(server: string, name: string, said: Flags): Promise<void> {
  const isRevoked = await withKeys(server, (changes) =>
    changes.revoke(authorOf(server, 'revokeKey', said), name, new Date(world.wall())),
  )
  if (isRevoked === undefined) throw new WrongUse(`there is no key of the name ${name}`)
  if (said.json) print(JSON.stringify({ name, revoked: isRevoked }))
  else
    print(isRevoked ? `${name} has ended; servers that run notice within a second or so` : `${name} had ended already`)
}

function withKeys<T>(
  name: string,
  work: (changes: ReturnType<typeof createKeyChanges>, db: Db) => Promise<T>,
): Promise<T> {
  const { schema } = OWN[toServer(name)]
  return withMigrated((db) => work(createKeyChanges(db, createKeyStore(schema)), db))
}

function toServer(name: string): Server {
  if (name === 'wallet' || name === 'platform' || name === 'gateway') return name
  throw new WrongUse(`there are keys of a wallet, a platform and a gateway, not of "${name}"`)
}

function authorOf(server: string, operation: string, { person = userName(), reason }: Said): Author {
  const { schema } = OWN[toServer(server)]
  return authorOfCommand(schema, 'purser keys', operation, { person, reason })
}

/** None where the system has no name for the user, as in a container. */
function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

function requireName(name: string): void {
  if (new RegExp(KEY_NAME_PATTERN).test(name)) return
  throw new WrongUse(`"${name}" is no name of a key: 64 small letters, digits, dots, dashes at most`)
}

function requireScope(scope: string | undefined): void {
  if (scope === undefined || (scope.length > 0 && scope.length <= 64 && isStorable(scope))) return
  throw new WrongUse('a scope is the id of a brand, partner or operator: 1 to 64 characters')
}

/** The key alone on stdout, so that it can be piped into a file; what belongs to it on stderr. */
function tell(made: Made, { json }: Flags): void {
  if (made.kind !== 'made') throw new WrongUse(WHY_NOT_MADE[made.kind])
  const shown = showMade(made)
  if (json) {
    print(JSON.stringify(shown))
    return
  }
  print(shown.key)
  const { name, role, hash, earlierEndAt } = shown
  process.stderr.write(`${name}, role ${role}, hash ${hash}: shown this once\n`)
  if (earlierEndAt !== undefined) process.stderr.write(`the keys before it work until ${earlierEndAt}\n`)
}
