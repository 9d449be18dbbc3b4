/** Opens the configured store: a Postgres server, or the embedded PGlite when none is configured. Only that one is loaded. */

import { Unreachable } from '../runtime/wrong-use.ts'
import type { Db } from './db.ts'
import type { Durability } from './durability.ts'
import { explained } from './refusal.ts'

export type StoreConfig =
  /** Absent, `durability` is `server`. */
  | { readonly kind: 'postgres'; readonly url: string; readonly durability?: Durability }
  /** `dataDir` is a folder, or `memory://` for a database that keeps nothing. */
  | { readonly kind: 'pglite'; readonly dataDir: string }

export async function openDb(config: StoreConfig): Promise<Db> {
  switch (config.kind) {
    case 'postgres': {
      const { openPostgres } = await import('./postgres.ts')
      return openPostgres(config.url, config).catch((error: unknown) => {
        throw explained(error, config.url)
      })
    }
    case 'pglite':
      return (await import('./pglite.ts')).openPglite(config.dataDir)
    default:
      return config satisfies never
  }
}

/** There is nothing to look at where the configuration points. */
export class NoDatabase extends Unreachable {}

/** For commands that only look: throws NoDatabase where opening would make an empty embedded database. */
export async function openExistingDb(config: StoreConfig): Promise<Db> {
  if (config.kind === 'pglite' && !(await import('./pglite.ts')).hasPglite(config.dataDir))
    throw new NoDatabase(`there is no database in ${config.dataDir}: set DATABASE_URL or PURSER_DATA_DIR`)
  return openDb(config)
}
