/** The audit as the API is asked for it. */
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
 * One audit at a time, and its answer for everyone who asks while it runs: it remembers a balance of each account that the feed names, in the
 * process that answers the calls.
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
