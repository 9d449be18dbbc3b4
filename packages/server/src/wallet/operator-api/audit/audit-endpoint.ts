/** Audit of the wallet that an API request starts. A process runs one audit at a time. */
import type { LastAudit } from '../../../core/auth/audit-log/last-audit.ts'
import type { Rules } from '../../rules/decision.ts'
import type { OperatorDeps } from '../operator-context.ts'
import { type AuditReport, runWalletAudit } from './wallet-audit.ts'

export interface AuditEndpointDeps extends Pick<OperatorDeps, 'clock'> {
  readonly db: Pick<OperatorDeps['db'], 'snapshot'>
  readonly clawback: Rules['clawback']
  readonly lastAudit: Pick<LastAudit, 'audited'>
}

/**
 * Requests during an audit share its result, because an audit keeps a balance per account of the
 * feed in memory, in a process that also answers calls.
 */
export function createAuditEndpoint({ db, clawback, lastAudit, clock }: AuditEndpointDeps): () => Promise<AuditReport> {
  let running: Promise<AuditReport> | undefined
  const run = async () => {
    const { ok, findings } = await runWalletAudit(db, { clawback })
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
