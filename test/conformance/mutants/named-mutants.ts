/** The call that a verdict names is the call that the mutant gets wrong. */
import type { ConformanceReport } from '../../../src/conformance/reports/conformance-report.ts'
import type { MutantId } from './mutants.ts'
import type { RunningWallet } from './wallet.ts'

export type Judged = ConformanceReport & Pick<RunningWallet, 'fired'>

/**
 * Faults that a later call shows: the call that goes wrong is answered as it should be, and leaves a
 * wrong state. The verdict names the first call of which the books or the answer are wrong.
 */
const SHOWN_LATER: readonly MutantId[] = [
  ...(['tombstone-missing', 'loss-leaves-open', 'cashout-leaves-open', 'unsettle-cancelled-reopens'] as const),
  'switch-keeps-tokens',
  // A balance that is answered wrongly cannot be told from one that is wrong.
  ...(['balance-in-minor-units', 'balance-currency-ignored'] as const),
]

/** Of these cases, the failures that name another call than one that the fault had an effect on. */
export function misnamed(fault: MutantId, { results, fired }: Judged, ids: readonly string[]): string[] {
  return results.flatMap(({ id, verdict }) => {
    if (!ids.includes(id) || verdict.kind !== 'failed') return []
    const named = verdict.exchanges.find(({ isBlamed }) => isBlamed)
    if (named === undefined) return [`${id} names no call: ${verdict.why}`]
    if (!verdict.why.includes(named.what)) return [`${id} does not say ${named.what}: ${verdict.why}`]
    // The copies of a race have one name, and the fault may act on the copy that won only.
    const isRace = verdict.why.includes(`${named.what} (`) && / times\)/.test(verdict.why)
    const copies = isRace ? verdict.exchanges.filter(({ what }) => what === named.what) : [named]
    const isRight = copies.some(({ request }) => fired.has(request.body)) || SHOWN_LATER.includes(fault)
    return isRight ? [] : [`${id} names ${named.what}: ${verdict.why}`]
  })
}
