/** Explains a wrong balance by the calls since the last right one. */
import type { EndedCall } from '../books/player-book.ts'
import type { FaultName } from './live-fault.ts'
import { listMoneyFaults, type MoneyFault } from './money-faults.ts'
import { findRoundingError, losesDecimals } from './rounding-fault.ts'

export type BalanceExplanation =
  | { readonly kind: 'calls'; readonly faults: readonly MoneyFault[] }
  | { readonly kind: 'arithmetic'; readonly cause: FaultName }
  | { readonly kind: 'none' }

export interface WrongBalance {
  readonly units: bigint
  /** The balances that fit the books. */
  readonly expected: readonly bigint[]
  /** The balance that was read before. */
  readonly start: bigint | undefined
  readonly scale: number
  /** Faults that the wallet has shown before. */
  readonly known: ReadonlySet<FaultName>
}

/** One fault, the same fault several times, two faults, or several known faults. */
export function explainDifference(recent: readonly EndedCall[], wrong: WrongBalance): BalanceExplanation {
  const { units, expected, start, scale, known } = wrong
  const candidates = listCandidates(recent, wrong)
  const single = findFaults(candidates, wrong, 1)
  if (single !== undefined) return { kind: 'calls', faults: single }
  if (start !== undefined && losesDecimals(recent, { start, end: units, scale }))
    return { kind: 'arithmetic', cause: 'cents lost at three decimals' }
  const several =
    findRepeatedFault(candidates, wrong) ??
    findFaults(candidates, wrong, 2) ??
    findFaults(
      candidates.filter(({ cause }) => known.has(cause)),
      wrong,
      MAX_FAULTS,
    )
  if (several !== undefined) return { kind: 'calls', faults: several }
  const errors = expected.map((one) => findRoundingError(recent, units - one, scale))
  const cause = errors.find((one) => one !== undefined)
  return cause === undefined ? { kind: 'none' } : { kind: 'arithmetic', cause }
}

/** Faults that together explain a difference. */
const MAX_FAULTS = 8
/** Sums of faults of one size that are compared. */
const MAX_COMBINATIONS = 5_000

function listCandidates(recent: readonly EndedCall[], { units, expected, known }: WrongBalance): MoneyFault[] {
  const all = recent.flatMap((ended) => listMoneyFaults(ended, units, expected))
  return all.sort((a, b) => rankFault(a, known) - rankFault(b, known))
}

/**
 * Rank of a fault as an explanation. A fault that this wallet has shown before is the likeliest. A
 * repeat with a second effect is likelier than a first call without effect, and a refused call that
 * moves money is the least likely.
 */
function rankFault({ cause, ended }: MoneyFault, known: ReadonlySet<FaultName>): number {
  if (known.has(cause)) return 0
  if (UNLIKELY.includes(cause)) return 3
  if (ended.answer.kind === 'refused' && ended.call.operation !== 'rollback') return 4
  return cause.startsWith('lost update') ? 2 : 1
}

const UNLIKELY: readonly FaultName[] = [
  ...(['stake not debited', 'payout missing', 'refund missing'] as const),
  ...(['stake paid on top of the payout', 'corrected result not applied', 'refund of the named amount'] as const),
]

function findRepeatedFault(candidates: readonly MoneyFault[], wrong: WrongBalance): readonly MoneyFault[] | undefined {
  const causes = [...new Set(candidates.map(({ cause }) => cause))]
  for (const cause of causes) {
    const same = candidates.filter((one) => one.cause === cause)
    const found = findFaults(same, wrong, MAX_FAULTS)
    if (found !== undefined) return found
  }
  return undefined
}

interface Combination {
  readonly faults: readonly MoneyFault[]
  readonly sum: bigint
  readonly next: number
}

/** The fewest faults whose sum is a difference. A call has at most one fault. */
function findFaults(
  candidates: readonly MoneyFault[],
  { units, expected }: WrongBalance,
  maxFaults: number,
): readonly MoneyFault[] | undefined {
  const differences = new Set(expected.map((one) => units - one))
  let combinations: readonly Combination[] = [{ faults: [], sum: 0n, next: 0 }]
  for (let size = 1; size <= maxFaults && combinations.length > 0; size++) {
    combinations = combinations.flatMap((one) => extendCombination(one, candidates)).slice(0, MAX_COMBINATIONS)
    const found = combinations.find(({ sum }) => differences.has(sum))
    if (found !== undefined) return found.faults
  }
  return undefined
}

function extendCombination({ faults, sum, next }: Combination, candidates: readonly MoneyFault[]): Combination[] {
  return candidates.slice(next).flatMap((candidate, index) => {
    if (faults.some(({ ended }) => ended === candidate.ended)) return []
    return [{ faults: [...faults, candidate], sum: sum + candidate.difference, next: next + index + 1 }]
  })
}
