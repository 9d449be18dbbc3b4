/** What a run of the kit found: plain data, the same for a judged wallet and a judged platform. Reports are written from it. */
import type { Exchange } from './exchange.ts'

export type Verdict = { readonly kind: 'passed' } | Failure | { readonly kind: 'not judged'; readonly why: string }

export interface Failure {
  readonly kind: 'failed'
  readonly why: string
  /** Those that led there; the last of them decided, or looked at the balance after the one that did. */
  readonly exchanges: readonly Exchange[]
  /** A command that sends the last one again that was no mere look. */
  readonly repeat: string
}

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
  return !report.results.some((result) => isCounted(report, result))
}

/** True for a failure that makes the run fail. */
export function isCounted({ isStrict }: Report, { verdict, level }: CaseResult): boolean {
  return verdict.kind === 'failed' && (level === 'MUST' || isStrict)
}

/** 'place' of 'place-07'. */
export function groupOf(id: string): string {
  return id.replace(/-\d+$/, '')
}

export function byGroup(results: readonly CaseResult[]): [group: string, results: CaseResult[]][] {
  const groups = new Set(results.map(({ id }) => groupOf(id)))
  return [...groups].map((group) => [group, results.filter(({ id }) => groupOf(id) === group)])
}
