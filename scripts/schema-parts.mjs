/**
 * Makes packages/server/migrations/parts.json, which lists the parts of the migrated schema for
 * `purser audit`.
 */

import { openDb } from 'purser/core/database/database-factory'
import { migrateSchema } from 'purser/core/database/schema/schema-migration'
import { listSchemaParts } from 'purser/core/database/schema/schema-parts'

export async function makeSchemaParts() {
  const db = await openDb({ kind: 'pglite', dataDir: 'memory://' })
  try {
    await migrateSchema(db)
    return `${JSON.stringify(await listSchemaParts(db), null, 2)}\n`
  } finally {
    await db.close()
  }
}
