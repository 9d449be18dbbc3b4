/**
 * Counts how often random histories reach each reply and each cell of the life table (state of a
 * bet × call). A weak generator of histories is thus noticed.
 */
import type { Call, Prediction, Row } from './call.ts'

const ROWS: Row[] = ['nothing', 'open', 'settled', 'cancelled', 'refused']
const KINDS: Call['kind'][] = ['place', 'settle', 'unsettle', 'rollback']

export type Coverage = Map<string, number>

export function count(coverage: Coverage, kind: Call['kind'], { row, verdict, rule, anomaly }: Prediction): void {
  const reply = verdict.status === 200 ? 'accepted' : `code ${verdict.code}`
  for (const seen of [`${row} × ${kind}`, reply, rule ?? 'no special rule', anomaly ?? 'no anomaly'])
    coverage.set(seen, (coverage.get(seen) ?? 0) + 1)
}

export function cells(): string[] {
  return ROWS.flatMap((row) => KINDS.map((kind) => `${row} × ${kind}`))
}

/** Names that occurred less than `least` times, with their counts. */
export function missing(coverage: Coverage, wanted: string[], least: number): string[] {
  return wanted
    .map((name) => ({ name, seen: coverage.get(name) ?? 0 }))
    .filter(({ seen }) => seen < least)
    .map(({ name, seen }) => `${name}: ${seen}`)
}
