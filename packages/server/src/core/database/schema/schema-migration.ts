/**
 * Migrates the schema to this program's version. Checksums ensure that released migrations never
 * change.
 */

import { fileURLToPath } from 'node:url'
import { sleep } from '@purser/runtime/async/sleep'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { errorText } from '@purser/runtime/errors/error-text'
import type Postgrator from 'postgrator'
import { isDuplicateObject, isLockTimeout, isOutage, isPermissionDenied } from '../database-errors.ts'
import type { Db, Row } from '../db.ts'

type Run = (sql: string) => Promise<Row[]>

const FOLDER = fileURLToPath(new URL('../../../../migrations', import.meta.url))
/** The last commit with 76 migrations. A database of an older commit is first migrated with it. */
const LAST_UNRELEASED_COMMIT = '4a8098e823eddc1c550b54bdd82f3f9c7fd0eaf2'
/** One process at a time migrates a database. The number is arbitrary. */
const MIGRATION_LOCK = 7_785_773

export interface MigrationOptions {
  readonly lockWaitsMs?: readonly number[]
  readonly folder?: string
}

export interface MigrationReport {
  readonly version: number
  readonly applied: readonly string[]
}

/**
 * Milliseconds per attempt to get a lock. Calls on the table queue after the attempt, so it is
 * shorter than their own lock timeout (db.ts). The pauses together are longer than the reports of
 * users. The last attempt is longer than deadlock_timeout, after which Postgres cancels a blocking
 * autovacuum.
 */
const LOCK_WAITS_MS = [...Array<number>(40).fill(300), 1_500]
const PAUSE_MS = 1_000

/**
 * Applies one migration per transaction, so no lock is held while the next one reads a large table.
 * Throws when the database is newer than this program, or when a migration fails; the next run
 * continues.
 */
export async function migrateSchema(
  db: Pick<Db, 'script'>,
  { lockWaitsMs = LOCK_WAITS_MS, folder = FOLDER }: MigrationOptions = {},
): Promise<MigrationReport> {
  const runLocked = await createLockedRunner(db, folder)
  await runLocked((postgrator, { version }) => postgrator.migrate(String(version))) // compares checksums
  const applied: string[] = []
  for (;;) {
    const next = await applyNextMigration(runLocked, lockWaitsMs).catch((error: unknown) => {
      throw error instanceof MigrationError ? error.toAdvice(applied) : error
    })
    if (next.length === 0) break
    applied.push(...next)
  }
  return { version: await runLocked(async (_, { version }) => version), applied }
}

type LockedRunner = Awaited<ReturnType<typeof createLockedRunner>>

/**
 * Transactions that exclude other migrations. All share one Postgrator, which has read the files
 * once.
 */
async function createLockedRunner(db: Pick<Db, 'script'>, folder: string) {
  let run: Run = () => Promise.reject(new Error('outside a transaction'))
  const postgrator = await createPostgrator((sql) => run(sql), folder)
  return <T>(work: (postgrator: Postgrator, now: { run: Run; version: number }) => Promise<T>): Promise<T> =>
    db.script(async (script) => {
      run = script
      await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
      return work(postgrator, { run, version: await readSchemaVersion(postgrator, run) })
    })
}

/**
 * Resolves to the names of the applied migrations. A new database gets all at once, because no call
 * waits for it.
 */
async function applyNextMigration(
  runLocked: LockedRunner,
  [waitMs = 0, ...later]: readonly number[],
): Promise<string[]> {
  try {
    return await runLocked(async (postgrator, { run, version }) => {
      const missing = postgrator.getRunnableMigrations(version, await postgrator.getMaxVersion())
      const next = version === 0 ? missing : missing.slice(0, 1)
      await run(`set local lock_timeout = ${waitMs}`)
      for (const nextMigration of next)
        await postgrator.runMigrations([nextMigration]).catch((error: unknown) => {
          throw new MigrationError(formatMigration(nextMigration), error)
        })
      return next.map(formatMigration)
    })
  } catch (error) {
    if (!(error instanceof MigrationError && isLockTimeout(error.cause)) || later.length === 0) throw error
    await sleep(PAUSE_MS)
    return applyNextMigration(runLocked, later)
  }
}

const formatMigration = ({ version, name }: Postgrator.Migration) => `${version} ${name}`

class MigrationError extends Error {
  readonly migration: string
  constructor(migration: string, cause: unknown) {
    super(`migration ${migration} failed`, { cause })
    this.migration = migration
  }

  /** Advice for the operator, or the cause itself for an outage or a missing right. */
  toAdvice(applied: readonly string[]): unknown {
    const { cause, migration } = this
    if (isOutage(cause) || isPermissionDenied(cause)) return cause
    const before = applied.length === 0 ? 'none before it' : `${applied.join(', ')} before it`
    const progress = `applied by this run: ${before}; the next run continues with it`
    if (isDuplicateObject(cause))
      return new UsageError(
        `migration ${migration} failed: ${errorText(cause)}; ${progress}. Another program uses this name here: give Purser a database of its own, or rename the other object`,
        { cause },
      )
    if (!isLockTimeout(cause)) return new Error(`migration ${migration} failed: ${cause}; ${progress}`, { cause })
    return new UsageError(
      `migration ${migration} waits for a table that is in use, as by an audit, a dump or a report: wait until it ends, and run the command again; ${progress}`,
      { cause },
    )
  }
}

/** Throws unless the schema has exactly this program's version (`PURSER_MIGRATE=never`). */
export async function requireCurrentSchema(db: Db): Promise<void> {
  await db.script(async (run) => {
    await requireReadableVersion(run)
    const postgrator = await createPostgrator(run)
    const [current, target] = [await readSchemaVersion(postgrator, run), await postgrator.getMaxVersion()]
    if (current < target)
      throw new UsageError(
        `the database has schema version ${current}, this program needs ${target}: run purser migrate`,
      )
  })
}

/**
 * The list of migrations looks empty without the right to read it, and a migration would not help.
 */
async function requireReadableVersion(run: Run): Promise<void> {
  const [hidden] = await run(
    `select current_user::text as role from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'purser' and c.relname = 'migration'
       and not (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select'))`,
  )
  if (hidden !== undefined)
    throw new UsageError(
      `the role ${hidden.role} may not read the version of the schema. The owner of the tables can grant it the rights of a server: purser migrate --grant wallet=${hidden.role}`,
    )
}

/** No migration leads back to an older schema. */
function requireNotNewer(current: number, target: number): void {
  if (current > target)
    throw new UsageError(
      `the database has schema version ${current}, this program knows only ${target}: use a newer program`,
    )
}

async function createPostgrator(run: Run, folder = FOLDER): Promise<Postgrator> {
  const { default: Runner } = await import('postgrator') // loaded only to open a database
  return new Runner({
    migrationPattern: `${folder}/*.sql`,
    driver: 'pg',
    schemaTable: 'purser.migration',
    execQuery: async (sql: string) => ({ rows: await run(sql) }),
  })
}

/** Throws when the database has other migrations than this program. */
async function readSchemaVersion(postgrator: Postgrator, run: Run): Promise<number> {
  const [current, target] = [await postgrator.getDatabaseVersion(), await postgrator.getMaxVersion()]
  if (current > 0) await requireReleasedMigrations(postgrator, run, current)
  requireNotNewer(current, target)
  return current
}

/**
 * Migrations could change until 0.1.0, so an earlier commit made a database with other checksums.
 */
async function requireReleasedMigrations(postgrator: Postgrator, run: Run, current: number): Promise<void> {
  const applied = await run('select version::int as version, md5 from purser.migration')
  const checksums = new Map(applied.map(({ version, md5 }) => [version, md5]))
  const files = await postgrator.getMigrations()
  const isOther = ({ version, md5 }: Postgrator.Migration) => (checksums.get(version) ?? md5) !== md5
  if (files.some(isOther))
    throw new UsageError(
      `a commit from before 0.1.0 made this database (schema version ${current}), and this program cannot update it. To keep its data, migrate it with commit ${LAST_UNRELEASED_COMMIT} first, and continue as docs/guides/upgrade.md describes. To begin anew, use an empty database or another PURSER_DATA_DIR`,
    )
}
