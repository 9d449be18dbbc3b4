/**
 * Opens the configured store: a Postgres server, or the embedded PGlite. Only the driver of this
 * store is loaded.
 */

import { UnavailableError } from '@purser/runtime/errors/cli-errors'
import type { Db } from './db.ts'
import { withAdvice } from './error-advice.ts'
import type { Durability } from './postgres/durability.ts'

export type DatabaseConfig =
  /** The default of `durability` is `server`. */
  | { readonly kind: 'postgres'; readonly url: string; readonly durability?: Durability }
  /** `dataDir` is a folder, or `memory://` for a database that ends with the process. */
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

export class NoDatabaseError extends UnavailableError {}

/**
 * For read-only commands. Throws NoDatabaseError instead of creating an empty embedded database.
 */
export async function openExistingDb(config: DatabaseConfig): Promise<Db> {
  if (config.kind === 'pglite' && !(await import('./pglite/pglite.ts')).hasPglite(config.dataDir))
    throw new NoDatabaseError(`there is no database in ${config.dataDir}: set DATABASE_URL or PURSER_DATA_DIR`)
  return openDb(config)
}
