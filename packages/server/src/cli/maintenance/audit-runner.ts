/**
 * Audits wallet and platform. The result is recorded in the audit log of each, from which the
 * metrics read it (O-12).
 */

import { systemClock } from '@purser/runtime/clock'
import { createCommandActor } from '../../core/auth/audit-log/audit-log.ts'
import { type AuditScope, readLastCleanAudit, recordAudit } from '../../core/auth/audit-log/last-audit.ts'
import { numberAllChanges } from '../../core/change-feed/change-store.ts'
import type { Config } from '../../core/config/config.ts'
import type { Db } from '../../core/database/db.ts'
import { type Finding, Findings } from '../../core/database/invariant-checks.ts'
import { describeCollationChange } from '../../core/database/postgres/collation-version.ts'
import { findEmptyTables, isFeedCountMissing } from '../../core/database/schema/empty-tables.ts'
import { findMissingParts, type MissingParts } from '../../core/database/schema/schema-parts.ts'
import { findLaggingCounters } from '../../core/database/schema/sequence-repair.ts'
import { auditPlatform } from '../../platform/platform-audit.ts'
import { readRecordedClawback } from '../../servers/money-settings.ts'
import { auditArchive } from '../../wallet/archive/archive-audit.ts'
import { type AuditPosition, type AuditProgress, runWalletAudit } from '../../wallet/operator-api/audit/wallet-audit.ts'
import { WALLET_CHANGES } from '../../wallet/store/wallet-changes.ts'

export interface AuditRunOptions {
  readonly config: Config
  /** Audits only changes since the last clean audit, or everything if none exists. */
  readonly onlyChanged: boolean
  /** Folder with archive files, which are checked too. */
  readonly archive?: string | undefined
  printStatus(line: string): void
  readonly progress: AuditProgress
}

export async function auditBooks(
  db: Db,
  { config, onlyChanged, archive, printStatus, progress }: AuditRunOptions,
): Promise<readonly Finding[]> {
  const collationChange = await describeCollationChange(db)
  if (collationChange !== undefined) printStatus(collationChange)
  const restored = onlyChanged ? NOTHING_MISSING : await auditRestoredSchema(db)
  if (!restored.isReadable) return restored.findings
  const clean = onlyChanged ? await readLastCleanPosition(db) : undefined
  const clawback = await readRecordedClawback(db, config)
  await numberAllChanges(db, WALLET_CHANGES).catch(() => {}) // fails on a read-only copy
  const { findings: inDatabase, isWhole, to } = await runWalletAudit(db, { clawback, since: clean, progress })
  const inFiles = new Findings()
  if (archive !== undefined)
    await auditArchive(db, archive, inFiles, (done, of) => progress('files of the archive', done, of))
  const findings = [...restored.findings, ...inDatabase, ...inFiles.all]
  if (onlyChanged && isWhole)
    printStatus('the feed does not contain every change since a clean audit: everything is checked')
  await recordAuditRun(db, 'purser', findings.length, {
    whole: isWhole,
    to: { number: String(to.number), day: to.day },
  })
  const ofPlatform = await auditPlatform(db, progress)
  if (ofPlatform === undefined) return findings
  await recordAuditRun(db, 'platform', ofPlatform.length, { whole: true, to: {} })
  return [...findings, ...ofPlatform]
}

const NOTHING_MISSING: MissingParts = { findings: [], isReadable: true }

/** Parts and rows that an interrupted restore has left out. */
async function auditRestoredSchema(db: Db): Promise<MissingParts> {
  const parts = await findMissingParts(db)
  if (!parts.isReadable) return parts
  const empty = await findEmptyTables(db)
  const findings = [...parts.findings, ...empty, ...(await findLaggingCounters(db))]
  return { findings, isReadable: !empty.some(isFeedCountMissing) }
}

async function readLastCleanPosition(db: Db): Promise<AuditPosition | undefined> {
  const to = await readLastCleanAudit('purser', db)
  return to?.number == null ? undefined : { number: BigInt(to.number), day: to.day ?? null }
}

/** A read-only copy can be audited too, without a record. */
async function recordAuditRun(
  db: Db,
  schema: 'purser' | 'platform',
  findings: number,
  scope: AuditScope,
): Promise<void> {
  const author = createCommandActor(schema, 'purser audit', 'audit')
  await db
    .transaction((tx) => recordAudit(tx, author, { at: systemClock.now(), findings, ...scope }))
    .catch(({ message }: Error) => process.stderr.write(`purser: ${formatNotRecorded(schema)}: ${message}\n`))
}

function formatNotRecorded(schema: string): string {
  return `the audit is not recorded in ${schema}.action, so no metric shows it`
}
