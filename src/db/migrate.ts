/** Brings the schema to this program's version. Migrations are immutable files; their checksums are kept and compared. */
import { fileURLToPath } from 'node:url'
import Postgrator from 'postgrator'
import { WrongUse } from '../runtime/wrong-use.ts'
import type { Db, Row } from './db.ts'

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url))
/** One migration at a time per database, whoever starts first. Any constant will do. */
const MIGRATION_LOCK = 7_785_773

export interface MigrationReport {
  readonly version: number
  readonly applied: readonly string[]
}

/** Applies what is missing in one transaction, or nothing. Throws when the database is newer than this program. */
export async function migrate(db: Db): Promise<MigrationReport> {
  return db.script(async (run) => {
    await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    const postgrator = createPostgrator(run)
    await refuseNewer(postgrator)
    const applied = await postgrator.migrate()
    return {
      version: await postgrator.getDatabaseVersion(),
      applied: applied.map((file) => `${file.version} ${file.name}`),
    }
  })
}

/** Throws unless the schema is exactly this program's (`PURSER_MIGRATE=never`). */
export async function requireMigrated(db: Db): Promise<void> {
  await db.script(async (run) => {
    const postgrator = createPostgrator(run)
    const [current, wanted] = [await postgrator.getDatabaseVersion(), await postgrator.getMaxVersion()]
    if (current !== wanted)
      throw new WrongUse(
        `the database has schema version ${current}, this program needs ${wanted}: run the migrate command`,
      )
  })
}

function createPostgrator(run: (sql: string) => Promise<Row[]>): Postgrator {
  return new Postgrator({
    migrationPattern: `${FOLDER}/*.sql`,
    driver: 'pg',
    schemaTable: 'purser.migration',
    execQuery: async (sql: string) => ({ rows: await run(sql) }),
  })
}

async function refuseNewer(postgrator: Postgrator): Promise<void> {
  const [current, wanted] = [await postgrator.getDatabaseVersion(), await postgrator.getMaxVersion()]
  if (current > wanted)
    throw new WrongUse(
      `the database has schema version ${current}, this program knows only ${wanted}: use a newer program`,
    )
}
