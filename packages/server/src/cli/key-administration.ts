/**
 * Actions of `purser keys`. They change API keys as the API does, and record each change in the
 * server's audit log.
 */
import { userInfo } from 'node:os'
import { isStorable } from '@purser/protocol/wire-ids'
import { printResult } from '@purser/runtime/command/command-output'
import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { createKeyChanges } from '../core/auth/api-key-changes.ts'
import { toCreatedKeyView, toKeyView } from '../core/auth/api-key-routes.ts'
import {
  createKeyStore,
  KEY_NAME_PATTERN,
  KEY_REJECTION_TEXTS,
  type KeyCreationResult,
  type NewKey,
} from '../core/auth/api-key-store.ts'
import { type Actor, createCommandActor, type RequestContext } from '../core/auth/audit-log/audit-log.ts'
import { AUTH_SETTINGS, type ServerKind } from '../core/auth/auth-settings.ts'
import type { Db } from '../core/database/db.ts'
import { withMigratedDb } from './maintenance/command-database.ts'

/** Limit of rows. */
const MAX_LISTED = 10_000

export interface KeyFlags extends RequestContext {
  readonly json?: true
}

export async function listKeys(server: string, { json }: KeyFlags): Promise<void> {
  const rows = await withKeys(server, (changes, db) => changes.list(db, undefined, MAX_LISTED))
  const shown = rows.map(toKeyView)
  if (json) return printResult(JSON.stringify(shown))
  for (const { name, role, rights, scope, hash, madeAt, endsAt, live, lastUsedAt } of shown)
    printResult(
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

export type MakeKeyFlags = KeyFlags & Omit<NewKey, 'name' | 'expiresAt'> & { readonly expires?: Date }

export async function makeKey(
  server: string,
  name: string,
  { role, rights, scope, expires: expiresAt, ...flags }: MakeKeyFlags,
): Promise<void> {
  requireName(name)
  requireScope(scope)
  const created = await withKeys(server, (changes) =>
    changes.make(
      createKeyActor(server, 'makeKey', flags),
      { name, role, rights, scope, expiresAt },
      new Date(environment.now()),
    ),
  )
  printCreatedKey(created, flags)
}

export async function rotateKey(
  server: string,
  name: string,
  { overlap, ...flags }: KeyFlags & { overlap: number },
): Promise<void> {
  const created = await withKeys(server, (changes) =>
    changes.rotate(createKeyActor(server, 'rotateKey', flags), name, overlap, new Date(environment.now())),
  )
  printCreatedKey(created, flags)
}

export async function revokeKey(server: string, name: string, flags: KeyFlags): Promise<void> {
  const isRevoked = await withKeys(server, (changes) =>
    changes.revoke(createKeyActor(server, 'revokeKey', flags), name, new Date(environment.now())),
  )
  if (isRevoked === undefined) throw new UsageError(`no key has the name ${name}: purser keys list shows all keys`)
  if (flags.json) printResult(JSON.stringify({ name, revoked: isRevoked }))
  else
    printResult(
      isRevoked ? `${name} is revoked; running servers reject it after about a second` : `${name} was already revoked`,
    )
}

function withKeys<T>(
  name: string,
  work: (changes: ReturnType<typeof createKeyChanges>, db: Db) => Promise<T>,
): Promise<T> {
  const { schema } = AUTH_SETTINGS[parseServer(name)]
  return withMigratedDb((db) => work(createKeyChanges(db, createKeyStore(schema)), db))
}

function parseServer(name: string): ServerKind {
  if (name === 'wallet' || name === 'platform' || name === 'gateway') return name
  throw new UsageError(`"${name}" is not a server with keys: use wallet, platform or gateway`)
}

function createKeyActor(server: string, operation: string, { person = userName(), reason }: RequestContext): Actor {
  const { schema } = AUTH_SETTINGS[parseServer(server)]
  return createCommandActor(schema, 'purser keys', operation, { person, reason })
}

/** Undefined where the user has no name, as in a container. */
function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

function requireName(name: string): void {
  if (new RegExp(KEY_NAME_PATTERN).test(name)) return
  throw new UsageError(
    `"${name}" is not a valid name of a key: use at most 64 lower-case letters, digits, dots and dashes`,
  )
}

function requireScope(scope: string | undefined): void {
  if (scope === undefined || (scope.length > 0 && scope.length <= 64 && isStorable(scope))) return
  throw new UsageError('the scope is not valid: give the id of a brand, partner or operator, 1 to 64 characters')
}

/** Only the key goes to stdout, for a pipe; its details go to stderr. */
function printCreatedKey(created: KeyCreationResult, { json }: KeyFlags): void {
  if (created.kind !== 'made') throw new UsageError(KEY_REJECTION_TEXTS[created.kind])
  const shown = toCreatedKeyView(created)
  if (json) {
    printResult(JSON.stringify(shown))
    return
  }
  printResult(shown.key)
  const { name, role, hash, earlierEndAt } = shown
  process.stderr.write(`${name}, role ${role}, hash ${hash}: the key is not shown again\n`)
  if (earlierEndAt !== undefined) process.stderr.write(`earlier keys of this name stay valid until ${earlierEndAt}\n`)
}
