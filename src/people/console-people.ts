/** Changes of the people who sign in by name, each with its action in the same transaction (O-4, U-4). */
import type { Db } from '../db/db.ts'
import type { Role } from '../http/caller.ts'
import { type Author, authorOfCommand } from './actions.ts'
import { hashPassword, isPassword, newPassword } from './password.ts'
import { type ConsoleSchema, createPersonStore, type PersonRow } from './person-store.ts'

export interface ConsolePersons {
  list(): Promise<PersonRow[]>
  /** Undefined: no such name and password, or too many wrong ones lately. */
  find(name: string, password: string): Promise<{ readonly name: string; readonly role: Role } | undefined>
  /** The password, which is shown this once; undefined when the name has been given. */
  make(author: Author, name: string, role: Role): Promise<string | undefined>
  /** A new password; sessions of the old one end. */
  reset(author: Author, name: string): Promise<string | undefined>
  change(author: Author, name: string, password: string): Promise<boolean>
  end(author: Author, name: string): Promise<boolean>
}

export function createConsolePersons(schema: ConsoleSchema, db: Db): ConsolePersons {
  const store = createPersonStore(schema)
  const setPassword = async (author: Author, name: string, password: string) => {
    const kept = await hashPassword(password)
    return db.transaction(async (tx) => {
      const isSet = await store.setPassword(tx, name, kept)
      const on = { person: name }
      if (isSet) await author.record(tx, { on, before: {}, after: { password: 'changed' }, at: new Date() })
      return isSet
    })
  }
  return {
    list: () => store.list(db.people),
    async find(name, password) {
      const known = await db.transaction((tx) => store.attempt(tx, name))
      const isRight = await isPassword(password, known?.password)
      if (known === undefined || !isRight) return undefined
      await db.transaction((tx) => store.succeed(tx, name))
      return { name, role: known.role }
    },
    async make(author, name, role) {
      const password = newPassword()
      const kept = await hashPassword(password)
      const isMade = await db.transaction(async (tx) => {
        const isAdded = await store.add(tx, name, role, kept)
        if (isAdded) await author.record(tx, { on: { person: name }, before: {}, after: { role }, at: new Date() })
        return isAdded
      })
      return isMade ? password : undefined
    },
    async reset(author, name) {
      const password = newPassword()
      return (await setPassword(author, name, password)) ? password : undefined
    },
    change: setPassword,
    end: (author, name) =>
      db.transaction(async (tx) => {
        const isEnded = await store.end(tx, name)
        const after = { ended: true }
        if (isEnded) await author.record(tx, { on: { person: name }, before: {}, after, at: new Date() })
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
  const said = { command: 'first start', operation: 'makeConsolePerson', person: null, reason: null, id: 'first-start' }
  const isMade = await db.transaction(async (tx) => {
    const isAdded = await store.addFirst(tx, FIRST, kept)
    const change = { on: { person: FIRST }, before: {}, after: { role: 'admin' }, at: new Date() }
    if (isAdded) await authorOfCommand(schema, said).record(tx, change)
    return isAdded
  })
  return isMade ? { name: FIRST, password } : undefined
}
