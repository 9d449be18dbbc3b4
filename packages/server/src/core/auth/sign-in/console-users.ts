/**
 * Changes of the users who sign in by name (U-4), each with its audit entry in one transaction
 * (O-4).
 */

import { environment } from '@purser/runtime/environment'
import type { Db, Tx } from '../../database/db.ts'
import type { Role } from '../../http/api/principal.ts'
import { KEY_NAME_PATTERN } from '../api-key-store.ts'
import { type Actor, createCommandActor } from '../audit-log/audit-log.ts'
import {
  type ConsoleSchema,
  type ConsoleUserRow,
  createConsoleUserStore,
  type VerifiedUser,
} from './console-user-store.ts'
import { generatePassword, hashPassword, verifyPassword } from './password.ts'
import { createPasswordQueue } from './password-queue.ts'
import type { SignInMetrics } from './sign-in-metrics.ts'

export interface PasswordGuess {
  readonly name: string
  readonly password: string
  /** The result of `addressPrefix`. */
  readonly address: string
  /** The actor of the audit entry if the password is wrong. */
  readonly actor: Actor
  /** Resolves when this address may guess again. Returns its recent wrong passwords. */
  ready?(): Promise<number>
}

export interface ConsoleUsers {
  list(): Promise<ConsoleUserRow[]>
  /** Undefined: name or password is wrong, or the name is locked for the address. */
  find(guess: PasswordGuess): Promise<VerifiedUser | undefined>
  /** Returns the password, which is shown once. Undefined: the name has been used before. */
  make(actor: Actor, name: string, role: Role): Promise<string | undefined>
  /** Sets a new password, which ends the sessions of the old one. */
  reset(actor: Actor, name: string): Promise<string | undefined>
  /** Undefined: the known password has been replaced, or the user was removed. */
  change(actor: Actor, known: VerifiedUser, password: string): Promise<VerifiedUser | undefined>
  end(actor: Actor, name: string): Promise<boolean>
}

export function createConsoleUsers(schema: ConsoleSchema, db: Db, signIns: SignInMetrics): ConsoleUsers {
  const store = createConsoleUserStore(schema)
  const queue = createPasswordQueue()
  const setPassword = async (actor: Actor, name: string, password: string, numberBefore?: number) => {
    const kept = await hashPassword(password)
    return db.transaction(async (tx) => {
      const number = await store.setPassword(tx, name, kept, numberBefore)
      if (number !== undefined) await recordChange(tx, actor, name, { password: 'changed' })
      return number
    })
  }
  return {
    list: () => store.list(db.userQueries),
    find: ({ name, password, address, actor, ready = async () => 0 }) =>
      queue.run(address, ready, async () => {
        const isName = new RegExp(KEY_NAME_PATTERN).test(name)
        const kept = isName ? await db.transaction((tx) => store.attempt(tx, name, address)) : undefined
        const isRight = await verifyPassword(password, kept?.password)
        if (kept !== undefined && isRight) {
          await db.transaction((tx) => store.succeed(tx, name, address))
          return kept.person
        }
        signIns.count('refused')
        if (kept === undefined) return undefined
        const { failures, lockedUntil } = kept
        if (lockedUntil !== null) signIns.count('locked')
        const after = {
          ...{ refused: true, ip: address, failures },
          ...(lockedUntil && { lockedUntil: lockedUntil.toISOString() }),
        }
        await db.transaction((tx) => recordChange(tx, actor, name, after))
        return undefined
      }),
    async make(actor, name, role) {
      const password = generatePassword()
      const kept = await hashPassword(password)
      const isCreated = await db.transaction(async (tx) => {
        const isAdded = await store.add(tx, name, role, kept)
        if (isAdded) await recordChange(tx, actor, name, { role })
        return isAdded
      })
      return isCreated ? password : undefined
    },
    async reset(actor, name) {
      const password = generatePassword()
      if ((await setPassword(actor, name, password)) === undefined) return undefined
      await db.transaction((tx) => store.unlock(tx, name))
      return password
    },
    async change(actor, known, password) {
      const passwordNumber = await setPassword(actor, known.name, password, known.passwordNumber)
      return passwordNumber === undefined ? undefined : { ...known, passwordNumber, mustChange: false }
    },
    end: (actor, name) =>
      db.transaction(async (tx) => {
        const isEnded = await store.end(tx, name)
        if (isEnded) await recordChange(tx, actor, name, { ended: true })
        return isEnded
      }),
  }
}

function recordChange(tx: Tx, actor: Actor, name: string, after: Record<string, unknown>): Promise<void> {
  return actor.record(tx, { on: { person: name }, before: {}, after, at: new Date(environment.now()) })
}

const FIRST_ADMIN_NAME = 'admin'

/**
 * Creates an admin at the first start, so that a sign-in is possible. Undefined if a user exists,
 * or if another process creates the admin.
 */
export async function createFirstAdmin(
  schema: ConsoleSchema,
  db: Db,
): Promise<{ readonly name: string; readonly password: string } | undefined> {
  const store = createConsoleUserStore(schema)
  if (await store.hasAny(db.userQueries)) return undefined
  const password = generatePassword()
  const kept = await hashPassword(password)
  const actor = createCommandActor(schema, 'first start', 'makeConsolePerson')
  const isCreated = await db.transaction(async (tx) => {
    const isAdded = await store.addFirst(tx, FIRST_ADMIN_NAME, kept)
    const change = {
      on: { person: FIRST_ADMIN_NAME },
      before: {},
      after: { role: 'admin' },
      at: new Date(environment.now()),
    }
    if (isAdded) await actor.record(tx, change)
    return isAdded
  })
  return isCreated ? { name: FIRST_ADMIN_NAME, password } : undefined
}
