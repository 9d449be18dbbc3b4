/** What every server does with its database before it serves: the schema is this program's, and nothing that it needs is denied. */
import { WrongUse } from '../runtime/wrong-use.ts'
import { repairCounters } from './counters.ts'
import type { Db } from './db.ts'
import { isDenied } from './errors.ts'
import { migrate, requireMigrated } from './migrate.ts'
import { missingRightsIn, requireRights, type Server } from './rights.ts'
import { tryToWrite } from './writable.ts'

/**
 * Resolves to a sentence for each thing that was repaired. Throws with the remedy. Rights are checked first, because without them the schema
 * looks empty; and again for new tables.
 */
export async function prepareDb(db: Db, server: Server, mode: 'auto' | 'never'): Promise<string[]> {
  await requireRights(db, server)
  await db.transaction(tryToWrite)
  if (mode === 'auto') await migrateOrExplain(db)
  else await requireMigrated(db)
  await requireRights(db, server)
  return repairCounters(db, server)
}

/** For /readyz. Rejects while the database takes no writes; resolves to the GRANTs that are missing. */
export function askReadiness(db: Pick<Db, 'transaction'>, server: Server): Promise<string[]> {
  return db.transaction(async (tx) => {
    const missing = await missingRightsIn(tx, server)
    await tryToWrite(tx)
    return missing
  })
}

async function migrateOrExplain(db: Db): Promise<void> {
  try {
    await migrate(db)
  } catch (error) {
    if (!isDenied(error)) throw error
    throw new WrongUse(
      'the schema is to be made or updated, which this role may not do: run purser migrate as its owner',
      { cause: error },
    )
  }
}
