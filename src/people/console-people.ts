/** Changes of the people who sign in by name, each with its action in the same transaction (O-4, U-4). */
import type { Db } from '../db/db.ts'
import type { Role } from '../http/caller.ts'
import { world } from '../runtime/world.ts'
import { type Author, authorOfCommand } from './actions.ts'
import { KEY_NAME_PATTERN } from './key-store.ts'
import { hashPassword, isPassword, newPassword } from './password.ts'
import { createPasswordQueue } from './password-queue.ts'
import { type ConsoleSchema, createPersonStore, type KnownPerson, type PersonRow } from './person-store.ts'
import type { SignInCounts } from './sign-in-counts.ts'

/** A password that a request shows. */
export interface Guess {
  readonly name: string
  readonly password: string
  /** Where it comes from, as `placeOf` gives it. */
  readonly address: string
  /** In the action log the author of the refusal. */
  readonly author: Author
  /** Resolves when this address may guess again, to its number of wrong passwords lately. */
  ready?(): Promise<number>
}

export interface ConsolePersons {
  list(): Promise<PersonRow[]>
  /** Undefined: no such name and password, or the name is locked to the address. */
  find(guess: Guess): Promise<KnownPerson | undefined>
  /** The password, which is shown this once; undefined when the name has been given. */
  make(author: Author, name: string, role: Role): Promise<string | undefined>
  /** A new password; sessions of the old one end. */
  reset(author: Author, name: string): Promise<string | undefined>
  /** By whoever knows the password; undefined when it has been replaced since, or the person has been ended. */
  change(author: Author, known: KnownPerson, password: string): Promise<KnownPerson | undefined>
  end(author: Author, name: string): Promise<boolean>
}

export function createConsolePersons(schema: ConsoleSchema, db: Db, signIns: SignInCounts): ConsolePersons {
  const store = createPersonStore(schema)
  const queue = createPasswordQueue()
  const setPassword = async (author: Author, name: string, password: string, numberBefore?: number) => {
    const kept = await hashPassword(password)
    return db.transaction(async (tx) => {
      const number = await store.setPassword(tx, name, kept, numberBefore)
      const change = { on: { person: name }, before: {}, after: { password: 'changed' }, at: new Date(world.wall()) }
      if (number !== undefined) await author.record(tx, change)
      return number
    })
  }
  return {
    list: () => store.list(db.people),
    find: ({ name, password, address, author, ready = async () => 0 }) =>
      queue.run(address, ready, async () => {
        const isName = new RegExp(KEY_NAME_PATTERN).test(name)
        const kept = isName ? await db.transaction((tx) => store.attempt(tx, name, address)) : undefined
        const isRight = await isPassword(password, kept?.password)
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
        const change = { on: { person: name }, before: {}, after, at: new Date(world.wall()) }
        await db.transaction((tx) => author.record(tx, change))
        return undefined
      }),
    async make(author, name, role) {
      const password = newPassword()
      const kept = await hashPassword(password)
      const isMade = await db.transaction(async (tx) => {
        const isAdded = await store.add(tx, name, role, kept)
        if (isAdded)
          await author.record(tx, { on: { person: name }, before: {}, after: { role }, at: new Date(world.wall()) })
        return isAdded
      })
      return isMade ? password : undefined
    },
    async reset(author, name) {
      const password = newPassword()
      if ((await setPassword(author, name, password)) === undefined) return undefined
      await db.transaction((tx) => store.unlock(tx, name))
      return password
    },
    async change(author, known, password) {
      const passwordNumber = await setPassword(author, known.name, password, known.passwordNumber)
      return passwordNumber === undefined ? undefined : { ...known, passwordNumber, mustChange: false }
    },
    end: (author, name) =>
      db.transaction(async (tx) => {
        const isEnded = await store.end(tx, name)
        const after = { ended: true }
        if (isEnded) await author.record(tx, { on: { person: name }, before: {}, after, at: new Date(world.wall()) })
        return isEnded
      }),
  }
}

const FIRST = 'admin'

/** At the first start of all: somebody must be able to sign in. Of several processes one makes it. Undefined when there is anybody. */
export async function makeFirstAdmin(
  schema: ConsoleSchema,
  db: Db,
): Promise<{ readonly name: string; readonly password: string } | undefined> {
  const store = createPersonStore(schema)
  if (await store.anybody(db.people)) return undefined
  const password = newPassword()
  const kept = await hashPassword(password)
  const author = authorOfCommand(schema, 'first start', 'makeConsolePerson')
  const isMade = await db.transaction(async (tx) => {
    const isAdded = await store.addFirst(tx, FIRST, kept)
    const change = { on: { person: FIRST }, before: {}, after: { role: 'admin' }, at: new Date(world.wall()) }
    if (isAdded) await author.record(tx, change)
    return isAdded
  })
  return isMade ? { name: FIRST, password } : undefined
}
