/**
 * Queries that check stored data for an audit. Each returns the rows that violate its invariant.
 */
import { type Row, type Statement, statement, type Tx } from './db.ts'

/** Query text by the name of its invariant. */
export type InvariantChecks = Readonly<Record<string, string>>

export interface Finding {
  readonly check: string
  /** The row as stored; amounts are in minor units. */
  readonly row: Readonly<Record<string, string>>
}

/** Per check. An invariant that is violated once is often violated a million times. */
export const MAX_FINDINGS = 100

export class Findings {
  readonly all: Finding[] = []
  private readonly counts = new Map<string, number>()

  add(check: string, row: Row): void {
    const count = this.counts.get(check) ?? 0
    this.counts.set(check, count + 1)
    if (count < MAX_FINDINGS) this.all.push({ check, row: toTexts(row) })
  }
}

/**
 * One statement that reads `parts` (common table expressions) once and runs all checks on them. A
 * part replaces the table of the same name in the checks.
 */
export function composeChecks(name: string, parts: string, checks: InvariantChecks): Statement {
  const parted = [...parts.matchAll(/^ *(\w+) as /gm)].map(([, part]) => part)
  const tables = new RegExp(`\\b(?:purser|platform)\\.(${parted.join('|')})\\b`, 'g')
  const each = Object.values(checks).map(
    (sql, place) => `(with found as materialized (${sql.replaceAll(tables, '$1')})
      select ${place} as place, (select json_object_agg(key, value) from json_each_text(row_to_json(f))) as row
      from (select * from found limit ${MAX_FINDINGS}) f)`,
  )
  return statement(name, `with ${parts}\n${each.join('\nunion all\n')}`)
}

/** `checks` must be the argument of `composeChecks` that made `query`. */
export async function runChecks(
  tx: Tx,
  query: Statement,
  values: readonly unknown[],
  checks: InvariantChecks,
  findings: Findings,
): Promise<void> {
  const names = Object.keys(checks)
  for (const { place, row } of await tx.query<{ place: number; row: Row }>(query, values))
    findings.add(names[place] as string, row)
}

function toTexts(row: Row): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]))
}
