/** Parts that cases against a wallet and cases against a platform share. */
import type { CaseResult, CaseVerdict } from './reports/conformance-report.ts'

export type RequirementLevel = 'MUST' | 'SHOULD'

export interface CaseFacts {
  /** Permanent: the group and a number, 'place-07'. */
  readonly id: string
  /** A part of interface.md ("Settle, partner action 5") or a decision id. */
  readonly clause: string
  readonly level: RequirementLevel
  readonly sentence: string
  /** One line: the loss of money that a failure causes. */
  readonly loses: string
  /** Rows of the catalogue (case-catalogue.ts). */
  readonly covers: readonly string[]
}

export function toCaseResult(one: CaseFacts, verdict: CaseVerdict, durationMs: number): CaseResult {
  const { id, clause, level, sentence, loses } = one
  return { id, clause, level, sentence, loses, verdict, durationMs }
}

/**
 * Changes the last digit. Ids that differ only in case are the same UUID (RFC 9562, section 4), so
 * no platform sends both.
 */
export function toNearMissId(uuid: string): string {
  return `${uuid.slice(0, -1)}${uuid.endsWith('0') ? '1' : '0'}`
}
