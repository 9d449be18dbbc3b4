/** Counts verdicts by kind and by cause. A later verdict on a call replaces the earlier one. */
import { findRemedy } from '../remedies/remedy.ts'
import type { Verdict, VerdictCause, VerdictKind, VerdictSum } from './live-verdict.ts'

export interface VerdictTally {
  record(verdict: Verdict): void
  sum(): VerdictSum
}

/** Calls whose verdict can still be replaced. */
const MAX_REPLACEABLE = 10_000

const KIND_RANK: Readonly<Record<VerdictKind, number>> = { wrong: 0, advice: 1, undecided: 2, right: 3 }

interface CauseCount {
  readonly example: Verdict
  count: number
}

export function createVerdictTally(): VerdictTally {
  const latest = new Map<number, Verdict>()
  const kinds: Record<VerdictKind, number> = { right: 0, advice: 0, wrong: 0, undecided: 0 }
  const causes = new Map<string, CauseCount>()
  let calls = 0
  const count = (verdict: Verdict, step: 1 | -1) => {
    kinds[verdict.kind] += step
    countCause(causes, verdict, step)
  }
  return {
    record(verdict) {
      const earlier = latest.get(verdict.call)
      if (earlier !== undefined) count(earlier, -1)
      else if (verdict.call > 0) calls += 1
      count(verdict, 1)
      if (verdict.call > 0) latest.set(verdict.call, verdict)
      const [oldest] = latest.size > MAX_REPLACEABLE ? latest.keys() : []
      if (oldest !== undefined) latest.delete(oldest)
    },
    sum: () => ({ calls, ...kinds, causes: listCauses(causes) }),
  }
}

function countCause(causes: Map<string, CauseCount>, verdict: Verdict, step: 1 | -1): void {
  if (verdict.cause === undefined || verdict.kind === 'right') return
  const key = `${verdict.kind} ${verdict.cause}`
  const known = causes.get(key) ?? { example: verdict, count: 0 }
  known.count += step
  causes.set(key, known)
  if (known.count <= 0) causes.delete(key)
}

function listCauses(causes: ReadonlyMap<string, CauseCount>): VerdictCause[] {
  const listed = [...causes.values()].map(({ example, count }) => {
    const { cause = '', kind, caseId, remedy } = example
    return { ...{ cause, kind, count, example }, ...(caseId && { caseId }), ...(remedy && { remedy }) }
  })
  return listed.sort(compareDamage)
}

function compareDamage(a: VerdictCause, b: VerdictCause): number {
  return KIND_RANK[a.kind] - KIND_RANK[b.kind] || rankRemedy(a) - rankRemedy(b) || b.count - a.count
}

function rankRemedy({ caseId = '' }: VerdictCause): number {
  return findRemedy(caseId)?.rank ?? Number.MAX_SAFE_INTEGER
}
