/** Checks of what is stored, for audits: each is a query that answers the rows that break it; none is the only good answer. */
import { statement, type Tx } from './db.ts'

export interface Finding {
  /** The invariant that is broken. */
  readonly check: string
  /** What broke it, as stored (amounts in minor units). */
  readonly row: Readonly<Record<string, string>>
}

/** Findings of one check at most; what is broken once is often broken a million times. */
export const MAX_FINDINGS = 100

/**
 * Runs named queries one after another; every row that they answer is a finding. Each is planned for all of its rows: for the
 * first hundred alone, which seldom exist, Postgres compares each bet with all others.
 */
export async function runChecks(tx: Tx, prefix: string, checks: Readonly<Record<string, string>>): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [index, [check, sql]] of Object.entries(checks).entries()) {
    const rows = await tx.query(
      statement(
        `audit_${prefix}_${index}`,
        `with findings as materialized (${sql}) select * from findings limit ${MAX_FINDINGS}`,
      ),
    )
    findings.push(...rows.map((row) => ({ check, row: toText(row) })))
  }
  return findings
}

function toText(row: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)]),
  )
}
