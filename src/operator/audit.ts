/** The whole audit, in one snapshot of a live database: the ledger's invariants and the bets'. */
import { Type } from 'typebox'
import type { Finding } from '../db/checks.ts'
import type { Db } from '../db/db.ts'
import { auditLedger } from '../ledger/audit.ts'
import { auditBets } from '../wallet/audit.ts'
import type { Rules } from '../wallet/decide/decision.ts'

export interface AuditReport {
  readonly ok: boolean
  readonly findings: readonly Finding[]
}

export const AuditSchema = Type.Object({
  ok: Type.Boolean(),
  findings: Type.Array(Type.Object({ check: Type.String(), row: Type.Record(Type.String(), Type.String()) })),
})

export async function audit(db: Pick<Db, 'snapshot'>, clawback: Rules['clawback']): Promise<AuditReport> {
  const findings = await db.snapshot(async (tx) => [
    ...(await auditLedger(tx, clawback === 'allow-negative')),
    ...(await auditBets(tx)),
  ])
  return { ok: findings.length === 0, findings }
}
