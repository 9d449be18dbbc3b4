/**
 * Whose bet a call is about, where several platforms call one wallet (W-43). What another platform has named does not exist for this one: of two
 * bets of a player with one id the first one is kept under that id, the other one under the id and the name of its platform. So each call finds
 * a bet of its own platform or none, and the bet's life takes its course without knowing of this.
 */

import { toQualifiedBetId } from '../../../protocol/qualified-bet-id.ts'
import type { BetCall } from '../store/bet.ts'
import type { BetRecord } from '../store/bet-store.ts'

/** The call with the id under which its platform's bet is kept; `first` is what is known under the id that was sent. */
export function scopeToPlatform<C extends BetCall>(
  call: C,
  first: Pick<BetRecord, 'platform'> | undefined,
  shared: boolean,
): C {
  if (shared || first === undefined || first.platform === call.platform) return call
  return { ...call, betId: toQualifiedBetId(call) }
}

/** Of these calls the ones that may be about a second bet: another platform has named the id, before or in this batch. */
export function scopeDisputedCalls(
  calls: readonly BetCall[],
  known: (call: BetCall) => Pick<BetRecord, 'platform'> | undefined,
  keyOf: (call: BetCall) => string,
): BetCall[] {
  const [first] = calls
  const isSinglePlatform = calls.every((call) => call.platform === first?.platform)
  const named = new Map<string, Set<string>>()
  if (!isSinglePlatform)
    for (const call of calls) named.set(keyOf(call), (named.get(keyOf(call)) ?? new Set()).add(call.platform))
  return calls
    .filter((call) => {
      const record = known(call)
      return record === undefined ? (named.get(keyOf(call))?.size ?? 1) > 1 : record.platform !== call.platform
    })
    .map((call) => ({ ...call, betId: toQualifiedBetId(call) }))
}
