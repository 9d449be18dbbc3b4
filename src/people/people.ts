/** Who may use an API of ours, and what they did: keys, admission and action log of one server. */
import type { Db } from '../db/db.ts'
import { type Admission, createAdmission } from '../http/admission.ts'
import type { Logger } from '../runtime/logger.ts'
import { type ActionLog, createActionLog } from './actions.ts'
import { type ConsolePersons, createConsolePersons } from './console-people.ts'
import { type ConsoleSessions, createConsoleSessions } from './console-session.ts'
import { createKeyStore } from './key-store.ts'
import { createKeyring } from './keyring.ts'
import { createKeyChanges, type KeyChanges } from './keys.ts'
import { OWN, type Server } from './server.ts'
import { createSignInCounts, type SignInCounts } from './sign-in-counts.ts'

export interface People {
  readonly admission: Admission
  readonly actions: ActionLog
  readonly keys: KeyChanges
}

/** Of a server that has a console. */
export interface ConsolePeople extends People {
  readonly sessions: ConsoleSessions
  readonly persons: ConsolePersons
  readonly signIns: SignInCounts
}

export interface PeopleDeps {
  readonly db: Db
  /** The key of the environment, which has all rights. */
  readonly firstKey: string
  readonly log: Logger
}

export interface ConsolePeopleDeps extends PeopleDeps {
  /** Minutes without use after which a session of the console ends. */
  readonly consoleIdleMinutes: number
}

export function createPeople(server: Server, { db, firstKey, log }: PeopleDeps): People {
  const { schema, setting } = OWN[server]
  const store = createKeyStore(schema)
  const keyring = createKeyring(db, store, setting, firstKey)
  return {
    admission: createAdmission(keyring, log),
    actions: createActionLog(schema),
    keys: createKeyChanges(db, store, keyring.forget),
  }
}

/** The same, and a person may sign in with a browser. */
export function createConsolePeople(
  server: 'wallet' | 'platform',
  { db, firstKey, log, consoleIdleMinutes }: ConsolePeopleDeps,
): ConsolePeople {
  const { schema, setting } = OWN[server]
  const store = createKeyStore(schema)
  const keyring = createKeyring(db, store, setting, firstKey)
  const sessions = createConsoleSessions(server, schema, db, keyring, consoleIdleMinutes)
  const signIns = createSignInCounts()
  return {
    admission: createAdmission(keyring, log, sessions),
    actions: createActionLog(schema),
    keys: createKeyChanges(db, store, keyring.forget),
    ...{ sessions, signIns, persons: createConsolePersons(schema, db, signIns) },
  }
}
