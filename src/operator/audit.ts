/** The whole audit, in one snapshot of a live database: the ledger's invariants, the bets', the feed's, and those of adjustments by two persons (W-27). */
import { Type } from 'typebox'
import { type Finding, runChecks } from '../db/checks.ts'
import type { Db } from '../db/db.ts'
import { auditLedger } from '../ledger/audit.ts'
import { auditBets } from '../wallet/audit.ts'
import type { Rules } from '../wallet/decide/decision.ts'
import { auditChanges } from '../wallet/store/change-audit.ts'

export interface AuditReport {
  readonly ok: boolean
  readonly findings: readonly Finding[]
}

export const AuditSchema = Type.Object({
  ok: Type.Boolean(),
  findings: Type.Array(Type.Object({ check: Type.String(), row: Type.Record(Type.String(), Type.String()) })),
})

const CHECKS = {
  'an adjustment that a second person approved is exactly what the first one asked for, and no other is made of a proposal': `
    select coalesce(p.player, m.player) as player, coalesce(p.reference, m.reference) as reference, p.status
    from purser.proposal p full join (select * from purser.cash_movement where approved_by is not null) m
      on m.bucket = p.bucket and m.player = p.player and m.reference = p.reference
    where case when p.status = 'approved' then (m.kind, m.currency, m.amount, m.reason, m.person, m.ticket, m.bet_id, m.approved_by)
        is distinct from ('adjustment', p.currency, p.amount, p.reason, p.person, p.ticket, p.bet_id, p.decided_person)
      else m.player is not null or exists (
        select from purser.cash_movement c where c.bucket = p.bucket and c.player = p.player and c.reference = p.reference) end`,
  'nobody approved an own adjustment': `
    select player, reference from purser.proposal where status = 'approved' and (decided_key = key_name or decided_person = person)`,
} as const

export async function audit(db: Pick<Db, 'snapshot'>, clawback: Rules['clawback']): Promise<AuditReport> {
  const findings = await db.snapshot(async (tx) => [
    ...(await auditLedger(tx, clawback === 'allow-negative')),
    ...(await auditBets(tx)),
    ...(await auditChanges(tx)),
    ...(await runChecks(tx, 'proposals', CHECKS)),
  ])
  return { ok: findings.length === 0, findings }
}
