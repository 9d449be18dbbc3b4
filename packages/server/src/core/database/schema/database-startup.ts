/**
 * Database checks of every server before it accepts calls: privileges, writes, schema and counters.
 */
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { isPermissionDenied } from '../database-errors.ts'
import type { Db } from '../db.ts'
import { readMissingPrivileges, requirePrivileges, type ServerKind } from './database-privileges.ts'
import { migrateSchema, requireCurrentSchema } from './schema-migration.ts'
import { repairCounters } from './sequence-repair.ts'
import { probeWrites } from './write-probe.ts'

/**
 * Resolves to a sentence for each repair. Throws with the remedy. Privileges are checked first,
 * because the schema looks empty without them, and again for new tables.
 */
export async function prepareDatabase(db: Db, server: ServerKind, mode: 'auto' | 'never'): Promise<string[]> {
  await requirePrivileges(db, server)
  await db.transaction(probeWrites)
  if (mode === 'auto') await migrateWithAdvice(db)
  else await requireCurrentSchema(db)
  await requirePrivileges(db, server)
  return repairCounters(db, server)
}

/** For /readyz. Rejects while the database accepts no writes; resolves to the missing GRANTs. */
export function checkReadiness(db: Pick<Db, 'transaction'>, server: ServerKind): Promise<string[]> {
  return db.transaction(async (tx) => {
    const missing = await readMissingPrivileges(tx, server)
    await probeWrites(tx)
    return missing
  })
}

async function migrateWithAdvice(db: Db): Promise<void> {
  try {
    await migrateSchema(db)
  } catch (error) {
    if (!isPermissionDenied(error)) throw error
    throw new UsageError(
      'the schema must be created or updated, which this role may not do: run purser migrate as its owner',
      { cause: error },
    )
  }
}
