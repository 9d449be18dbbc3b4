/** migrations/parts.json: the parts of the migrated schema, for the audit. */

import { openDb } from '../dist/server/core/database/database-factory.js'
import { migrateSchema } from '../dist/server/core/database/schema/schema-migration.js'
import { listSchemaParts } from '../dist/server/core/database/schema/schema-parts.js'

export async function makeSchemaParts() {
  const db = await openDb({ kind: 'pglite', dataDir: 'memory://' })
  try {
    await migrateSchema(db)
    return `${JSON.stringify(await listSchemaParts(db), null, 2)}\n`
  } finally {
    await db.close()
  }
}
