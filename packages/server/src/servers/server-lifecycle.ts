/**
 * Start and stop of every server.
 *
 * - Start: open the database, migrate it, check privileges and settings, listen. A failure closes
 *   everything that was opened.
 * - Stop: finish accepted calls, then close the database.
 */

import { sleep } from '@purser/runtime/async/sleep'
import type { Logger } from '@purser/runtime/logger'
import type { Tracing } from '@purser/runtime/tracing'
import { VERSION } from '@purser/runtime/version'
import type { FastifyInstance } from 'fastify'
import { AUTH_SETTINGS } from '../core/auth/auth-settings.ts'
import { createFirstAdmin } from '../core/auth/sign-in/console-users.ts'
import type { Config } from '../core/config/config.ts'
import { openDb } from '../core/database/database-factory.ts'
import type { Db } from '../core/database/db.ts'
import { encryptStoredSecrets, SECRET_TABLES } from '../core/database/encryption/encrypted-secrets.ts'
import { createEncryptionKeyring } from '../core/database/encryption/encryption-keyring.ts'
import { describeCollationChange } from '../core/database/postgres/collation-version.ts'
import { describeConnectionShortage } from '../core/database/postgres/pool-metrics.ts'
import { assertNotMoved } from '../core/database/relocation-state.ts'
import { requireRecordedScales } from '../core/database/schema/currency-scales.ts'
import type { ServerKind } from '../core/database/schema/database-privileges.ts'
import { prepareDatabase } from '../core/database/schema/database-startup.ts'
import { recordAndRequireSettings } from './money-settings.ts'
import { requirePlatforms } from './recorded-platforms.ts'
import { startTracing } from './tracing-startup.ts'
import { describeUnreachableAddresses } from './unreachable-addresses.ts'

export interface RunningServer {
  readonly url: string
  /**
   * Created at the very first start, and shown once. Never rejects, because the next start tries
   * again.
   */
  readonly firstAdmin: ReturnType<typeof createFirstAdmin>
  /** Keeps serving for the configured time, while the readiness check fails. */
  drain(): Promise<void>
  close(): Promise<void>
}

/** A server with all of its routes that does not listen yet. */
export interface ServerApp {
  readonly app: FastifyInstance
  /** Additional values for the log line of the start. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** Finishes accepted calls. The database stays open. */
  close(): Promise<void>
}

export interface RunServerDeps {
  readonly log: Logger
  /** Open; the caller closes it. By default the configured database is opened. */
  readonly db: Db | undefined
  /** The very first start creates a user for the console (U-4). */
  readonly makesFirstAdmin?: boolean | undefined
  create(db: Db, tracing: Tracing | undefined): Promise<ServerApp>
}

/** Throws when the server cannot start, after closing everything. */
export async function runServer(
  server: ServerKind,
  config: Config,
  { log, db: openDatabase, makesFirstAdmin, create }: RunServerDeps,
): Promise<RunningServer> {
  const db = openDatabase ? { ...openDatabase, close: async () => {} } : await openDb(config.store)
  const opened: { close(): Promise<void> }[] = [db]
  const closeAll = async () => {
    for (const resource of opened.splice(0).reverse()) await resource.close()
  }
  try {
    for (const repaired of await prepareServer(server, config, db)) log.warn(repaired)
    for (const refused of await describeUnreachableAddresses(db, server, config.reach)) log.warn(refused)
    const collationChange = await describeCollationChange(db)
    if (collationChange !== undefined) log.warn(collationChange)
    const tracing = await startTracing(server, config, log)
    if (tracing !== undefined) opened.push({ close: tracing.stop })
    const created = await create(db, tracing)
    opened.push(created)
    const shortage = await describeConnectionShortage(db)
    if (shortage !== undefined) log.warn(shortage)
    const url = await created.app.listen({ host: config.host, port: config.port })
    log.info({ url, version: VERSION, store: db.kind, ...created.facts }, `the ${server} listens`)
    const schema = makesFirstAdmin && server !== 'gateway' ? AUTH_SETTINGS[server].schema : undefined
    const firstAdmin = schema === undefined ? Promise.resolve(undefined) : createFirstAdmin(schema, db)
    return {
      url,
      firstAdmin: firstAdmin.catch((error: unknown) => {
        log.warn({ err: error }, 'the first console user could not be created')
        return undefined
      }),
      async drain() {
        const { drainMs } = config
        if (drainMs === 0) return
        created.app.beginDraining()
        log.info({ drainMs }, `the ${server} drains: it is not ready, and still serves calls`)
        await sleep(drainMs)
      },
      async close() {
        await closeAll()
        log.info(`the ${server} has stopped`)
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function prepareServer(server: ServerKind, config: Config, db: Db): Promise<string[]> {
  const repaired = await prepareDatabase(db, server, config.migrate)
  if (server === 'wallet') await assertNotMoved(db)
  await encryptStoredSecrets(db, createEncryptionKeyring(config.encryptionKeys), SECRET_TABLES[server])
  await requireSameMoneyRules(server, config, db)
  return repaired
}

/**
 * Throws when amounts or bets would follow rules that differ from the database's (M-5, O-1). The
 * gateway stores no amounts.
 */
export async function requireSameMoneyRules(server: ServerKind, config: Config, db: Db): Promise<void> {
  if (server === 'gateway') return
  await requireRecordedScales(db, server, config.scales)
  await recordAndRequireSettings(db, server, config)
  if (server === 'wallet') await requirePlatforms(db, config)
}
