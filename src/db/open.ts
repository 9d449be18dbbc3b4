/** Opens the configured store: a Postgres server, or the embedded PGlite when none is configured. */
import type { Db } from './db.ts'
import { openPglite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

export type StoreConfig =
  | { readonly kind: 'postgres'; readonly url: string }
  /** `dataDir` is a folder, or `memory://` for a database that keeps nothing. */
  | { readonly kind: 'pglite'; readonly dataDir: string }

export function openDb(config: StoreConfig): Promise<Db> {
  switch (config.kind) {
    case 'postgres':
      return openPostgres(config.url)
    case 'pglite':
      return openPglite(config.dataDir)
    default:
      return config satisfies never
  }
}
