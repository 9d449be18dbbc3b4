/** The database of a command: opened as the environment says, and closed when its work is done. */
import { type Config, PROCESS_ROLES, readConfig } from '../../core/config/config.ts'
import { type openDb, openExistingDb } from '../../core/database/database-factory.ts'
import type { Db } from '../../core/database/db.ts'
import { requireCurrentSchema } from '../../core/database/schema/schema-migration.ts'

export async function withDb<T>(open: typeof openDb, work: (db: Db, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env, PROCESS_ROLES.tool)
  const db = await open(config.store)
  return work(db, config).finally(() => db.close())
}

/** One that is there, and has this program's schema. */
export function withMigratedDb<T>(work: (db: Db, config: Config) => Promise<T>): Promise<T> {
  return withDb(openExistingDb, async (db, config) => {
    await requireCurrentSchema(db)
    return work(db, config)
  })
}
