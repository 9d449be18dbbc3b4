/**
 * How every server of ours begins and ends: open the database, bring it up to date, check rights and settings, listen; at the
 * end finish what was accepted, then close the database. What fails on the way closes all that was opened before it.
 */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import { describeShortage } from '../db/connections.ts'
import type { Db } from '../db/db.ts'
import { prepareSecrets, SECRET_TABLES } from '../db/kept-secrets.ts'
import { createKeyring } from '../db/keyring.ts'
import { requireHome } from '../db/moved.ts'
import { openDb } from '../db/open.ts'
import { prepareDb } from '../db/prepare.ts'
import type { Server } from '../db/rights.ts'
import { checkScales } from '../db/scales.ts'
import { describeChangedTextOrder } from '../db/text-order.ts'
import { makeFirstAdmin } from '../people/console-people.ts'
import { OWN } from '../people/server.ts'
import type { Logger } from '../runtime/logger.ts'
import { pause } from '../runtime/pause.ts'
import type { Tracing } from '../runtime/tracing.ts'
import { VERSION } from '../runtime/version.ts'
import { requireSettings } from './money-settings.ts'
import { requirePlatforms } from './platform-names.ts'
import { describeRefusedAddresses } from './refused-addresses.ts'
import { startTracing } from './tracing.ts'

export interface Running {
  readonly url: string
  /** Made at the first start of all, shown this once. Never rejects: who listens goes on without, and the next start tries again. */
  readonly firstAdmin: ReturnType<typeof makeFirstAdmin>
  /** Serves on, not ready, for as long as the setting says. */
  drain(): Promise<void>
  /** Stops accepting, finishes what was accepted, closes the database. */
  close(): Promise<void>
}

/** A server with all of its routes that does not listen yet. */
export interface App {
  readonly app: FastifyInstance
  /** What the log says of it when it listens, beside address, version and store. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** Finishes what was accepted. The database stays open. */
  close(): Promise<void>
}

export interface RunDeps {
  readonly log: Logger
  /** An open database of the caller's, who closes it; else the configured one is opened. */
  readonly db: Db | undefined
  /** Whether the first start of all makes somebody who may sign in to the console (U-4). */
  readonly makesFirstAdmin?: boolean | undefined
  create(db: Db, tracing: Tracing | undefined): Promise<App>
}

/** Throws when the server cannot begin, with everything closed again. */
export async function run(
  server: Server,
  config: Config,
  { log, db: given, makesFirstAdmin, create }: RunDeps,
): Promise<Running> {
  const db = given ? { ...given, close: async () => {} } : await openDb(config.store)
  const opened: { close(): Promise<void> }[] = [db]
  const closeAll = async () => {
    for (const one of opened.splice(0).reverse()) await one.close()
  }
  try {
    for (const repaired of await prepare(server, config, db)) log.warn(repaired)
    for (const refused of await describeRefusedAddresses(db, server, config.reach)) log.warn(refused)
    const changedOrder = await describeChangedTextOrder(db)
    if (changedOrder !== undefined) log.warn(changedOrder)
    const tracing = await startTracing(server, config, log)
    if (tracing !== undefined) opened.push({ close: tracing.stop })
    const created = await create(db, tracing)
    opened.push(created)
    const shortage = await describeShortage(db)
    if (shortage !== undefined) log.warn(shortage)
    const url = await created.app.listen({ host: config.host, port: config.port })
    log.info({ url, version: VERSION, store: db.kind, ...created.facts }, `the ${server} listens`)
    const schema = makesFirstAdmin && server !== 'gateway' ? OWN[server].schema : undefined
    const firstAdmin = schema === undefined ? Promise.resolve(undefined) : makeFirstAdmin(schema, db)
    return {
      url,
      firstAdmin: firstAdmin.catch((error: unknown) => {
        log.warn({ err: error }, 'nobody could be made who may sign in to the console')
        return undefined
      }),
      async drain() {
        const { drainMs } = config
        if (drainMs === 0) return
        created.app.beginDraining()
        log.info({ drainMs }, `the ${server} drains: it is not ready, and serves on`)
        await pause(drainMs)
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

async function prepare(server: Server, config: Config, db: Db): Promise<string[]> {
  const repaired = await prepareDb(db, server, config.migrate)
  if (server === 'wallet') await requireHome(db)
  await prepareSecrets(db, createKeyring(config.encryptionKeys), SECRET_TABLES[server])
  await requireSame(server, config, db)
  return repaired
}

/**
 * Throws when amounts would be read, or bets judged, by other rules than those that the database knows (M-5, O-1). The gateway keeps no
 * amounts, so that no setting of it decides about money.
 */
export async function requireSame(server: Server, config: Config, db: Db): Promise<void> {
  if (server === 'gateway') return
  await checkScales(db, server, config.scales)
  await requireSettings(db, server, config)
  if (server === 'wallet') await requirePlatforms(db, config)
}
