/** Counts verdicts by kind and by cause. */
import { findRemedy } from '../remedies/remedy.ts'
import type { Verdict, VerdictCause, VerdictKind, VerdictSum } from './live-verdict.ts'

export interface VerdictTally {
  /** Replaces the earlier verdict on the same call. */
  record(verdict: Verdict): void
  sum(): VerdictSum
}

const KIND_RANK: Readonly<Record<VerdictKind, number>> = { wrong: 0, advice: 1, undecided: 2, right: 3 }

export function createVerdictTally(): VerdictTally {
  const byCall = new Map<number, Verdict>()
  const withoutCall: Verdict[] = []
  return {
    record(verdict) {
      if (verdict.call === 0) withoutCall.push(verdict)
      else byCall.set(verdict.call, verdict)
    },
    sum() {
      const verdicts = [...byCall.values(), ...withoutCall]
      const count = (kind: VerdictKind) => verdicts.filter((one) => one.kind === kind).length
      return {
        calls: byCall.size,
        ...{ right: count('right'), advice: count('advice'), wrong: count('wrong'), undecided: count('undecided') },
        causes: groupByName(verdicts),
      }
    },
  }
}

function groupByName(verdicts: readonly Verdict[]): VerdictCause[] {
  const groups = new Map<string, VerdictCause>()
  for (const example of verdicts) {
    const { cause, kind, caseId, remedy } = example
    if (cause === undefined || kind === 'right') continue
    const key = `${kind} ${cause}`
    const known = groups.get(key) ?? {
      ...{ cause, kind, count: 0, example },
      ...(caseId !== undefined && { caseId }),
      ...(remedy !== undefined && { remedy }),
    }
    groups.set(key, { ...known, count: known.count + 1 })
  }
  return [...groups.values()].sort((a, b) => compareDamage(a, b))
}

function compareDamage(a: VerdictCause, b: VerdictCause): number {
  return KIND_RANK[a.kind] - KIND_RANK[b.kind] || rankOf(a) - rankOf(b) || b.count - a.count
}

function rankOf({ caseId }: VerdictCause): number {
  return findRemedy(caseId ?? '')?.rank ?? Number.MAX_SAFE_INTEGER
}
