/** migrations/parts.json: the parts of the schema that the migrations make, for the audit. */
import { migrate } from '../dist/db/migrate.js'
import { openDb } from '../dist/db/open.js'
import { partsOfSchema } from '../dist/db/schema-parts.js'

export async function makeSchemaParts() {
  const db = await openDb({ kind: 'pglite', dataDir: 'memory://' })
  try {
    await migrate(db)
    return `${JSON.stringify(await partsOfSchema(db), null, 2)}\n`
  } finally {
    await db.close()
  }
}
