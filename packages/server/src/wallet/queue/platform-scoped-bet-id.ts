/**
 * Bet ids of a wallet with several platforms (W-43).
 *
 * A platform's calls never find another platform's bet. If two platforms use the same id for a
 * player, the first bet is stored under this id. The second bet is stored under the id and the name
 * of its platform. The rules are the same for both bets.
 */

import { toQualifiedBetId } from '@purser/protocol/qualified-bet-id'
import type { BetCall } from '../store/bet.ts'
import type { BetRecord } from '../store/bet-store.ts'

/**
 * Returns the call with the id of its platform's bet; `first` is the record with the id that was
 * sent.
 */
export function scopeToPlatform<C extends BetCall>(
  call: C,
  first: Pick<BetRecord, 'platform'> | undefined,
  shared: boolean,
): C {
  if (shared || first === undefined || first.platform === call.platform) return call
  return { ...call, betId: toQualifiedBetId(call) }
}

/**
 * Returns the calls that may concern a second bet: another platform has used the id, earlier or in
 * this batch.
 */
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
