/** Checks of what is stored, for audits: each is a query that answers the rows that break it; none is the only good answer. */
import { type Row, type Statement, statement, type Tx } from './db.ts'

/** Queries by the invariants that they look at. */
export type InvariantChecks = Readonly<Record<string, string>>

export interface Finding {
  /** The invariant that is broken. */
  readonly check: string
  /** What broke it, as stored (amounts in minor units). */
  readonly row: Readonly<Record<string, string>>
}

/** Findings of one check at most; what is broken once is often broken a million times. */
export const MAX_FINDINGS = 100

/** What an audit finds, slice by slice. */
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
 * One statement that reads `parts` (common table expressions) once and makes every check over them. A check names a table with its schema;
 * it is read from the part of the same name instead.
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

/** Runs it; `checks` are those that it was made of. */
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
