/** Authentication and audit log of one server: keys, sessions, users. */

import type { Logger } from '@purser/runtime/logger'
import type { Db } from '../database/db.ts'
import { type Authenticator, createAuthenticator } from '../http/api/authentication.ts'
import { createApiKeyCache } from './api-key-cache.ts'
import { createKeyChanges, type KeyChanges } from './api-key-changes.ts'
import { createKeyStore } from './api-key-store.ts'
import { type AuditLog, createAuditLog } from './audit-log/audit-log.ts'
import { AUTH_SETTINGS, type ServerKind } from './auth-settings.ts'
import { type ConsoleSessions, createConsoleSessions } from './sign-in/console-session.ts'
import { type ConsoleUsers, createConsoleUsers } from './sign-in/console-users.ts'
import { createSignInMetrics, type SignInMetrics } from './sign-in/sign-in-metrics.ts'

export interface ServerAuth {
  readonly admission: Authenticator
  readonly actions: AuditLog
  readonly keys: KeyChanges
}

/** For a server with a console. */
export interface ConsoleAuth extends ServerAuth {
  readonly sessions: ConsoleSessions
  readonly persons: ConsoleUsers
  readonly signIns: SignInMetrics
}

export interface ServerAuthDeps {
  readonly db: Db
  /** The root key of the environment, an admin (W-25). */
  readonly firstKey: string
  readonly log: Logger
}

export interface ConsoleAuthDeps extends ServerAuthDeps {
  /** A console session ends after this number of minutes without use. */
  readonly consoleIdleMinutes: number
}

export function createServerAuth(server: ServerKind, { db, firstKey, log }: ServerAuthDeps): ServerAuth {
  const { schema, setting } = AUTH_SETTINGS[server]
  const store = createKeyStore(schema)
  const keyCache = createApiKeyCache(db, store, setting, firstKey)
  return {
    admission: createAuthenticator(keyCache, log),
    actions: createAuditLog(schema),
    keys: createKeyChanges(db, store, keyCache.invalidate),
  }
}

/** Adds sign-in with a browser. */
export function createConsoleAuth(
  server: 'wallet' | 'platform',
  { db, firstKey, log, consoleIdleMinutes }: ConsoleAuthDeps,
): ConsoleAuth {
  const { schema, setting } = AUTH_SETTINGS[server]
  const store = createKeyStore(schema)
  const keyCache = createApiKeyCache(db, store, setting, firstKey)
  const sessions = createConsoleSessions(server, schema, db, keyCache, consoleIdleMinutes)
  const signIns = createSignInMetrics()
  return {
    admission: createAuthenticator(keyCache, log, sessions),
    actions: createAuditLog(schema),
    keys: createKeyChanges(db, store, keyCache.invalidate),
    ...{ sessions, signIns, persons: createConsoleUsers(schema, db, signIns) },
  }
}
