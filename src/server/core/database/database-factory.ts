/** Opens the configured store: a Postgres server, or the embedded PGlite when none is configured. Only that one is loaded. */

import { UnavailableError } from '../../../runtime/errors/cli-errors.ts'
import type { Db } from './db.ts'
import { withAdvice } from './error-advice.ts'
import type { Durability } from './postgres/durability.ts'

export type DatabaseConfig =
  /** Absent, `durability` is `server`. */
  | { readonly kind: 'postgres'; readonly url: string; readonly durability?: Durability }
  /** `dataDir` is a folder, or `memory://` for a database that keeps nothing. */
  | { readonly kind: 'pglite'; readonly dataDir: string }

export async function openDb(config: DatabaseConfig): Promise<Db> {
  switch (config.kind) {
    case 'postgres': {
      const { openPostgres } = await import('./postgres/postgres.ts')
      return openPostgres(config.url, config).catch((error: unknown) => {
        throw withAdvice(error, config.url)
      })
    }
    case 'pglite':
      return (await import('./pglite/pglite.ts')).openPglite(config.dataDir)
    default:
      return config satisfies never
  }
}

/** There is nothing to look at where the configuration points. */
export class NoDatabaseError extends UnavailableError {}

/**
 * For commands that only look: throws NoDatabaseError where opening would make an empty embedded
 * database.
 */
export async function openExistingDb(config: DatabaseConfig): Promise<Db> {
  if (config.kind === 'pglite' && !(await import('./pglite/pglite.ts')).hasPglite(config.dataDir))
    throw new NoDatabaseError(`there is no database in ${config.dataDir}: set DATABASE_URL or PURSER_DATA_DIR`)
  return openDb(config)
}
