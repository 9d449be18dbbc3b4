/** The work of `purser audit`: the books of wallet and platform, and a line in the action log of each, for the metrics (O-12). */
import type { Config } from '../config/config.ts'
import type { Finding } from '../db/checks.ts'
import type { Db } from '../db/db.ts'
import { audit } from '../operator/audit.ts'
import { authorOfCommand } from '../people/actions.ts'
import { recordAudit } from '../people/last-audit.ts'
import { auditPlatform } from '../platform/audit.ts'
import { systemClock } from '../runtime/clock.ts'
import { recordedClawback } from './money-settings.ts'

export async function auditAll(db: Db, config: Config): Promise<readonly Finding[]> {
  const { findings } = await audit(db, await recordedClawback(db, config))
  const ofPlatform = await auditPlatform(db)
  await tell(db, 'purser', findings.length)
  if (ofPlatform === undefined) return findings
  await tell(db, 'platform', ofPlatform.length)
  return [...findings, ...ofPlatform]
}

/** A copy that cannot be written to can be audited too. */
async function tell(db: Db, schema: 'purser' | 'platform', findings: number): Promise<void> {
  const author = authorOfCommand(schema, 'purser audit', 'audit')
  await db
    .transaction((tx) => recordAudit(tx, author, { at: systemClock.now(), findings }))
    .catch(({ message }: Error) => process.stderr.write(`purser: ${notTold(schema)}: ${message}\n`))
}

function notTold(schema: string): string {
  return `the audit is not in ${schema}.action, so that no metric tells of it`
}
