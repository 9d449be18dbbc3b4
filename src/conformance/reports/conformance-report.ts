/** What a run of the kit found: plain data, the same for a judged wallet and a judged platform. Reports are written from it. */
import type { Exchange } from '../http-exchange.ts'

/** The option that gives the kit the API of a Purser wallet's operator. */
export const OPERATOR_API_OPTION = '--operator-api'

export type CaseVerdict = { readonly kind: 'passed' } | CaseFailure | NotJudgedVerdict

export interface CaseFailure {
  readonly kind: 'failed'
  readonly why: string
  /** Those that led there; the last of them decided, or looked at the balance after the one that did. */
  readonly exchanges: readonly Exchange[]
  /** A command that sends the last one again that was no mere look; empty in a masked report, and where no single call is to blame. */
  readonly repeat: string
}

export interface NotJudgedVerdict {
  readonly kind: 'not judged'
  readonly why: string
  /** Something that the kit was told to use has failed: a finding too, as nobody knows what the case would have shown. */
  readonly isFault?: true
  /** All that must be given to judge the case; absent when nothing that is given would help. */
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
  /** Why a failure is expected (--expected-failures); absent where none is. */
  readonly expected?: string
}

export interface ConformanceReport {
  /** Which side was judged. */
  readonly judged: 'wallet' | 'platform'
  /** Of the kit. */
  readonly kitVersion: string
  /** Which reading of the interface the cases are about: changes when a clause does. */
  readonly interfaceVersion: string
  /** Where it is. */
  readonly target: string
  /** What was called, with names of variables in place of secrets; `--only ID` behind it repeats a case. Empty when no command was. */
  readonly command: string
  /** How: where players come from, how balances are read. */
  readonly notes: readonly string[]
  readonly startedAt: Date
  readonly durationMs: number
  readonly wasInterrupted: boolean
  readonly isStrict: boolean
  /** A MUST that the given inputs could judge, and that was not judged, fails the run (--complete). */
  readonly isComplete?: true
  /** Only some of the cases were asked for (--only). */
  readonly isPart?: true
  /** In the order of the catalogue. */
  readonly results: readonly CaseResult[]
}

export interface VerdictTotals {
  readonly passed: number
  readonly failedMust: number
  readonly failedShould: number
  /** Of the failures, those that were expected; they are not among the two above. */
  readonly failedAsExpected: number
  readonly notJudged: number
  /** Of those not judged, the ones that are a MUST. */
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

/**
 * Nothing that counts has failed: the exit code is 0. A MUST counts; in a strict run a SHOULD does too,
 * in a complete run a MUST that is not judged.
 */
export function isGood(report: ConformanceReport): boolean {
  return !report.results.some((result) => countsAsFailure(report, result))
}

/**
 * Every MUST of the interface was judged, and none failed: also none of those that were expected to
 * fail. A case that needs the operator's API is left out where there is no such API: the interface
 * defines none, and the wire alone cannot show what the case asks.
 */
export function isCertified(report: ConformanceReport): boolean {
  const { results, isPart, wasInterrupted } = report
  const isProven = (result: CaseResult) =>
    result.level === 'SHOULD' || result.verdict.kind === 'passed' || needsOperatorApi(result)
  const isWhole = isPart !== true && !wasInterrupted && results.some(({ verdict }) => verdict.kind === 'passed')
  return isWhole && isGood(report) && results.every(isProven)
}

/** A case that was not judged because only `--operator-api` lets the kit act as the operator. */
export function needsOperatorApi({ verdict }: CaseResult): boolean {
  return verdict.kind === 'not judged' && verdict.add?.includes(OPERATOR_API_OPTION) === true
}

/** True for what makes the run fail. */
export function countsAsFailure({ isStrict, isComplete }: ConformanceReport, result: CaseResult): boolean {
  const { verdict, level } = result
  if (verdict.kind === 'not judged') {
    const isLeftOut = isComplete === true && level === 'MUST' && !needsOperatorApi(result)
    return verdict.isFault === true || isLeftOut
  }
  return isUnexpected(result) && (level === 'MUST' || isStrict)
}

/** Those that failed, the expected ones apart. */
export function findUnexpectedFailures({ results }: ConformanceReport): readonly CaseResult[] {
  return results.filter(isUnexpected)
}

/** Expected to fail, and passing: the list of expected failures is too long. */
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

/** The command that judges this case again; '' when no command was. */
export function formatRerunOfCase({ command }: ConformanceReport, { id }: CaseResult): string {
  return command === '' ? '' : `${command} --only ${id}`
}
