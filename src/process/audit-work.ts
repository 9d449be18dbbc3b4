/** The work of `purser audit`: the books of wallet and platform, and a line in the action log of each, for the metrics (O-12). */
import { auditArchive } from '../archive/audit.ts'
import type { Config } from '../config/config.ts'
import { type Finding, Findings } from '../db/checks.ts'
import { findCountersBehind } from '../db/counters.ts'
import type { Db } from '../db/db.ts'
import { findEmptyTables, isNeeded } from '../db/empty-tables.ts'
import { findMissingParts, type MissingParts } from '../db/schema-parts.ts'
import { describeChangedTextOrder } from '../db/text-order.ts'
import { numberAll } from '../feed/change-store.ts'
import { type AuditedTo, audit, type Progress } from '../operator/audit.ts'
import { authorOfCommand } from '../people/actions.ts'
import { type Looked, readLastClean, recordAudit } from '../people/last-audit.ts'
import { auditPlatform } from '../platform/audit.ts'
import { systemClock } from '../runtime/clock.ts'
import { WALLET_CHANGES } from '../wallet/store/change.ts'
import { recordedClawback } from './money-settings.ts'

export interface AuditWork {
  readonly config: Config
  /** Only what changed since the last audit that was clean; everything where there was none. */
  readonly onlyChanged: boolean
  /** The folder with the files of the archive, which are looked at too. */
  readonly archive?: string | undefined
  /** A line for who waits. */
  say(line: string): void
  readonly progress: Progress
}

export async function auditAll(
  db: Db,
  { config, onlyChanged, archive, say, progress }: AuditWork,
): Promise<readonly Finding[]> {
  const changedOrder = await describeChangedTextOrder(db)
  if (changedOrder !== undefined) say(changedOrder)
  const restored = onlyChanged ? COMPLETE : await auditRestore(db)
  if (!restored.isReadable) return restored.findings
  const clean = onlyChanged ? await lastClean(db) : undefined
  const clawback = await recordedClawback(db, config)
  await numberAll(db, WALLET_CHANGES).catch(() => {}) // of a copy that cannot be written to
  const { findings: inDatabase, isWhole, to } = await audit(db, { clawback, since: clean, progress })
  const inFiles = new Findings()
  if (archive !== undefined)
    await auditArchive(db, archive, inFiles, (done, of) => progress('files of the archive', done, of))
  const findings = [...restored.findings, ...inDatabase, ...inFiles.all]
  if (onlyChanged && isWhole)
    say('there is no clean audit since which the feed tells every change: everything is looked at')
  await tell(db, 'purser', findings.length, { whole: isWhole, to: { number: String(to.number), day: to.day } })
  const ofPlatform = await auditPlatform(db, progress)
  if (ofPlatform === undefined) return findings
  await tell(db, 'platform', ofPlatform.length, { whole: true, to: {} })
  return [...findings, ...ofPlatform]
}

const COMPLETE: MissingParts = { findings: [], isReadable: true }

/** What a restore that stopped half-way has left out. */
async function auditRestore(db: Db): Promise<MissingParts> {
  const parts = await findMissingParts(db)
  if (!parts.isReadable) return parts
  const empty = await findEmptyTables(db)
  const findings = [...parts.findings, ...empty, ...(await findCountersBehind(db))]
  return { findings, isReadable: !empty.some(isNeeded) }
}

async function lastClean(db: Db): Promise<AuditedTo | undefined> {
  const to = await readLastClean('purser', db)
  return to?.number == null ? undefined : { number: BigInt(to.number), day: to.day ?? null }
}

/** A copy that cannot be written to can be audited too. */
async function tell(db: Db, schema: 'purser' | 'platform', findings: number, looked: Looked): Promise<void> {
  const author = authorOfCommand(schema, 'purser audit', 'audit')
  await db
    .transaction((tx) => recordAudit(tx, author, { at: systemClock.now(), findings, ...looked }))
    .catch(({ message }: Error) => process.stderr.write(`purser: ${notTold(schema)}: ${message}\n`))
}

function notTold(schema: string): string {
  return `the audit is not in ${schema}.action, so that no metric tells of it`
}
