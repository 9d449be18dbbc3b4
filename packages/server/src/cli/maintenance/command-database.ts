/** Opens the configured database for a command, and closes it after the work. */
import { type Config, PROCESS_ROLES, readConfig } from '../../core/config/config.ts'
import { type openDb, openExistingDb } from '../../core/database/database-factory.ts'
import type { Db } from '../../core/database/db.ts'
import { requireCurrentSchema } from '../../core/database/schema/schema-migration.ts'

export async function withDb<T>(open: typeof openDb, work: (db: Db, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env, PROCESS_ROLES.tool)
  const db = await open(config.store)
  return work(db, config).finally(() => db.close())
}

/** Requires an existing database with this program's schema. */
export function withMigratedDb<T>(work: (db: Db, config: Config) => Promise<T>): Promise<T> {
  return withDb(openExistingDb, async (db, config) => {
    await requireCurrentSchema(db)
    return work(db, config)
  })
}
