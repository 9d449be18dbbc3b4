/** The audit as the API is asked for it. */
import type { LastAudit } from '../people/last-audit.ts'
import type { Rules } from '../wallet/decide/decision.ts'
import { type AuditReport, audit } from './audit.ts'
import type { OperatorDeps } from './operator.ts'

export interface AuditDeps extends Pick<OperatorDeps, 'clock'> {
  readonly db: Pick<OperatorDeps['db'], 'snapshot'>
  readonly clawback: Rules['clawback']
  readonly lastAudit: Pick<LastAudit, 'audited'>
}

/**
 * One audit at a time, and its answer for everyone who asks while it runs: it remembers a balance of each account that the feed names, in the
 * process that answers the calls.
 */
export function createAudit({ db, clawback, lastAudit, clock }: AuditDeps): () => Promise<AuditReport> {
  let running: Promise<AuditReport> | undefined
  const run = async () => {
    const { ok, findings } = await audit(db, { clawback })
    lastAudit.audited({ at: clock.now(), findings: findings.length })
    return { ok, findings }
  }
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
