import type { OperatorClient } from './operator.ts'

/**
 * Throws with the findings. An answer that is not an audit throws too, because an absent audit
 * proves nothing.
 */
export async function auditIsClean(operator: OperatorClient): Promise<void> {
  const { status, body } = await operator.request('GET', '/operator/audit')
  const findings = typeof body === 'object' && body !== null && 'findings' in body ? body.findings : undefined
  if (status === 200 && Array.isArray(findings) && findings.length === 0) return
  throw new Error(`the audit is not clean: ${status} ${JSON.stringify(body, null, 2)}`)
}
