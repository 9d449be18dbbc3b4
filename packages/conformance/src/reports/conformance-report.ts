/** Result of a kit run as plain data, from which all reports are written. */
import type { Exchange } from '../http-exchange.ts'
import { findRemedy } from '../remedies/remedy.ts'

export const OPERATOR_API_OPTION = '--operator-api'

export type CaseVerdict = { readonly kind: 'passed' } | CaseFailure | NotJudgedVerdict

export interface CaseFailure {
  readonly kind: 'failed'
  readonly why: string
  /** The last one decided the verdict, or read the balance after the deciding call. */
  readonly exchanges: readonly Exchange[]
  /**
   * Sends the last call of the case again. Empty in a masked report, and if no single call is the
   * cause.
   */
  readonly repeat: string
}

export interface NotJudgedVerdict {
  readonly kind: 'not judged'
  readonly why: string
  /**
   * A part that the options name, such as a hook, has failed. Such a failure is a finding, because
   * the result of the case is unknown.
   */
  readonly isFault?: true
  /** The inputs that are missing to judge the case. Absent if no input would help. */
  readonly add?: readonly string[]
}

export interface CaseResult {
  readonly id: string
  readonly clause: string
  readonly level: 'MUST' | 'SHOULD'
  readonly sentence: string
  readonly loses: string
  readonly verdict: CaseVerdict
  readonly durationMs: number
  /** The reason of an expected failure (--expected-failures). */
  readonly expected?: string
}

export interface ConformanceReport {
  readonly judged: 'wallet' | 'platform'
  readonly kitVersion: string
  /** Identifies the clauses of the interface, and changes with their text. */
  readonly interfaceVersion: string
  /** The address of the wallet or platform. */
  readonly target: string
  /** Secrets are replaced by variables. Empty if no command was used. */
  readonly command: string
  /** The source of the players, and the way in which balances are read. */
  readonly notes: readonly string[]
  readonly startedAt: Date
  readonly durationMs: number
  readonly wasInterrupted: boolean
  readonly isStrict: boolean
  /** With --complete, a MUST that could be judged and was not fails the run. */
  readonly isComplete?: true
  /** Only some cases were selected (--only). */
  readonly isPart?: true
  /** In the order of the catalogue. */
  readonly results: readonly CaseResult[]
}

export interface VerdictTotals {
  readonly passed: number
  readonly failedMust: number
  readonly failedShould: number
  /** Number of expected failures, which `failedMust` and `failedShould` exclude. */
  readonly failedAsExpected: number
  readonly notJudged: number
  /** MUST cases among `notJudged`. */
  readonly notJudgedMust: number
}

export function countVerdicts({ results }: ConformanceReport): VerdictTotals {
  const count = (is: (one: CaseResult) => boolean) => results.filter(is).length
  return {
    passed: count(({ verdict }) => verdict.kind === 'passed'),
    failedMust: count((one) => isUnexpected(one) && one.level === 'MUST'),
    failedShould: count((one) => isUnexpected(one) && one.level === 'SHOULD'),
    failedAsExpected: count(({ verdict, expected }) => verdict.kind === 'failed' && expected !== undefined),
    notJudged: count(({ verdict }) => verdict.kind === 'not judged'),
    notJudgedMust: count(({ verdict, level }) => verdict.kind === 'not judged' && level === 'MUST'),
  }
}

function isUnexpected({ verdict, expected }: CaseResult): boolean {
  return verdict.kind === 'failed' && expected === undefined
}

/** True if the exit code is 0. */
export function isGood(report: ConformanceReport): boolean {
  return !report.results.some((result) => countsAsFailure(report, result))
}

/**
 * True if every MUST was judged and passed. An expected failure counts as a failure. A case that
 * needs the operator's API is exempt without this API, because the interface does not define it.
 */
export function isCertified(report: ConformanceReport): boolean {
  const { results, isPart, wasInterrupted } = report
  const isProven = (result: CaseResult) =>
    result.level === 'SHOULD' || result.verdict.kind === 'passed' || needsOperatorApi(result)
  const isWhole = isPart !== true && !wasInterrupted && results.some(({ verdict }) => verdict.kind === 'passed')
  return isWhole && isGood(report) && results.every(isProven)
}

/** The case needs an action of the operator (`--operator-api`). */
export function needsOperatorApi({ verdict }: CaseResult): boolean {
  return verdict.kind === 'not judged' && verdict.add?.includes(OPERATOR_API_OPTION) === true
}

/**
 * A failed MUST fails the run. A failed SHOULD fails a strict run. A MUST that is not judged fails
 * a complete run.
 */
export function countsAsFailure({ isStrict, isComplete }: ConformanceReport, result: CaseResult): boolean {
  const { verdict, level } = result
  if (verdict.kind === 'not judged') {
    const isLeftOut = isComplete === true && level === 'MUST' && !needsOperatorApi(result)
    return verdict.isFault === true || isLeftOut
  }
  return isUnexpected(result) && (level === 'MUST' || isStrict)
}

export function findUnexpectedFailures({ results }: ConformanceReport): readonly CaseResult[] {
  return results.filter(isUnexpected)
}

/** The list of expected failures needs an update. */
export function findUnexpectedPasses({ results }: ConformanceReport): readonly CaseResult[] {
  return results.filter(({ verdict, expected }) => verdict.kind === 'passed' && expected !== undefined)
}

/** 'place' of 'place-07'. */
export function toCaseGroup(id: string): string {
  return id.replace(/-\d+$/, '')
}

export function groupResults(results: readonly CaseResult[]): [group: string, results: CaseResult[]][] {
  const groups = new Set(results.map(({ id }) => toCaseGroup(id)))
  return [...groups].map((group) => [group, results.filter(({ id }) => toCaseGroup(id) === group)])
}

/** '' if the run had no command. */
export function formatRerunOfCase({ command }: ConformanceReport, { id }: CaseResult): string {
  return command === '' ? '' : `${command} --only ${id}`
}

/** Three decimals: '1.250'. */
export function formatSeconds(ms: number): string {
  const whole = Math.trunc(ms)
  return `${Math.trunc(whole / 1000)}.${String(whole % 1000).padStart(3, '0')}`
}

/** A change of the structure (docs/reference/conformance-report.md) needs a new version. */
const REPORT_JSON_VERSION = 1

export function formatConformanceJson(report: ConformanceReport): string {
  const { isComplete = false, isPart = false, ...run } = report
  const results = report.results.map((result) => ({ ...result, change: findRemedy(result.id)?.change }))
  const content = {
    ...{ version: REPORT_JSON_VERSION, ...run, durationMs: Math.trunc(run.durationMs) },
    ...{ isComplete, isPart, isGood: isGood(report), isCertified: isCertified(report) },
    ...{ totals: countVerdicts(report), results },
  }
  return `${JSON.stringify(content, truncateMilliseconds, 2)}\n`
}

function truncateMilliseconds(name: string, value: unknown): unknown {
  return name === 'durationMs' && typeof value === 'number' ? Math.trunc(value) : value
}
