/** Checks that a verdict names the call that the mutant gets wrong. */
import type { ConformanceReport } from '../../src/reports/conformance-report.ts'
import type { MutantId } from './mutants.ts'
import type { RunningWallet } from './wallet.ts'

export type MutantReport = ConformanceReport & Pick<RunningWallet, 'fired'>

/**
 * Faults that only a later call shows. The faulty call has a correct answer and leaves a wrong
 * state. The verdict names the first call with a wrong answer or wrong books.
 */
const SHOWN_LATER: readonly MutantId[] = [
  ...(['tombstone-missing', 'loss-leaves-open', 'cashout-leaves-open', 'unsettle-cancelled-reopens'] as const),
  'switch-keeps-tokens',
  // A wrong answer about a balance looks like a wrong balance.
  ...(['balance-in-minor-units', 'balance-currency-ignored'] as const),
]

/** The failures of these cases that name a call which the fault did not affect. */
export function misnamed(fault: MutantId, { results, fired }: MutantReport, ids: readonly string[]): string[] {
  return results.flatMap(({ id, verdict }) => {
    if (!ids.includes(id) || verdict.kind !== 'failed') return []
    const named = verdict.exchanges.find(({ isBlamed }) => isBlamed)
    if (named === undefined) return [`${id} names no call: ${verdict.why}`]
    if (!verdict.why.includes(named.what)) return [`${id} does not say ${named.what}: ${verdict.why}`]
    // The copies of a race have one name, and the fault may affect only the copy that won.
    const isRace = verdict.why.includes(`${named.what} (`) && / times\)/.test(verdict.why)
    const copies = isRace ? verdict.exchanges.filter(({ what }) => what === named.what) : [named]
    const isRight = copies.some(({ request }) => fired.has(request.body)) || SHOWN_LATER.includes(fault)
    return isRight ? [] : [`${id} names ${named.what}: ${verdict.why}`]
  })
}
