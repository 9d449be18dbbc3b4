/** What a run of the kit found: plain data, the same for a judged wallet and a judged platform. Reports are written from it. */
import type { Exchange } from './exchange.ts'

export type Verdict =
  | { readonly kind: 'passed' }
  /** `exchanges` are those that led there, the decisive one last; `repeat` is a command that sends that one again. */
  | { readonly kind: 'failed'; readonly why: string; readonly exchanges: readonly Exchange[]; readonly repeat: string }
  | { readonly kind: 'not judged'; readonly why: string }

export interface CaseResult {
  readonly id: string
  readonly clause: string
  readonly level: 'MUST' | 'SHOULD'
  readonly sentence: string
  readonly loses: string
  readonly verdict: Verdict
  readonly durationMs: number
}

export interface Report {
  /** Which side was judged. */
  readonly judged: 'wallet' | 'platform'
  /** Where it is. */
  readonly target: string
  /** How: where players come from, how balances are read. */
  readonly notes: readonly string[]
  readonly startedAt: Date
  readonly durationMs: number
  readonly wasInterrupted: boolean
  readonly isStrict: boolean
  /** In the order of the catalogue. */
  readonly results: readonly CaseResult[]
}

export interface Totals {
  readonly passed: number
  readonly failedMust: number
  readonly failedShould: number
  readonly notJudged: number
}

export function totalsOf({ results }: Report): Totals {
  const count = (kind: Verdict['kind'], level?: 'MUST' | 'SHOULD') =>
    results.filter((one) => one.verdict.kind === kind && (level === undefined || one.level === level)).length
  return {
    passed: count('passed'),
    failedMust: count('failed', 'MUST'),
    failedShould: count('failed', 'SHOULD'),
    notJudged: count('not judged'),
  }
}

/** No MUST fails; in a strict run, no SHOULD either. */
export function isGood(report: Report): boolean {
  const { failedMust, failedShould } = totalsOf(report)
  return failedMust === 0 && (failedShould === 0 || !report.isStrict)
}
