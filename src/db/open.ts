/** Opens the configured store: a Postgres server, or the embedded PGlite when none is configured. */

import { Unreachable } from '../runtime/wrong-use.ts'
import type { Db } from './db.ts'
import { hasPglite, openPglite } from './pglite.ts'
import { openPostgres } from './postgres.ts'
import { explained } from './refusal.ts'

export type StoreConfig =
  | { readonly kind: 'postgres'; readonly url: string }
  /** `dataDir` is a folder, or `memory://` for a database that keeps nothing. */
  | { readonly kind: 'pglite'; readonly dataDir: string }

export function openDb(config: StoreConfig): Promise<Db> {
  switch (config.kind) {
    case 'postgres':
      return openPostgres(config.url).catch((error: unknown) => {
        throw explained(error, config.url)
      })
    case 'pglite':
      return openPglite(config.dataDir)
    default:
      return config satisfies never
  }
}

/** There is nothing to look at where the configuration points. */
export class NoDatabase extends Unreachable {}

/** For commands that only look: throws NoDatabase where opening would make an empty embedded database. */
export async function openExistingDb(config: StoreConfig): Promise<Db> {
  if (config.kind === 'pglite' && !hasPglite(config.dataDir))
    throw new NoDatabase(`there is no database in ${config.dataDir}: set DATABASE_URL or PURSER_DATA_DIR`)
  return openDb(config)
}
