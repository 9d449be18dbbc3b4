/** The player's balance before a call that was rejected for lack of money. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import type { WalletBetDetail } from '@purser/timeline/bet-sources'
import { findNeededBalance } from '@purser/timeline/call-explanation'
import { useQuery } from '@tanstack/react-query'
import { encodeQueryPart, getJsonOrNone } from '../../app/console-api.ts'
import type { StatementPage } from './statement.ts'

/**
 * The balance after the player's last transfer before the call. Undefined while loading and for
 * other calls.
 */
export function useBalanceBeforeCall(wallet: WalletBetDetail | undefined, at: number): string | undefined {
  const { userId = '', history = [], currency } = wallet ?? {}
  const receivedAt = history[at]?.at
  const result = useQuery({
    queryKey: ['balance at', userId, history[at]?.currency ?? currency, receivedAt],
    queryFn: ({ signal }) =>
      readBalanceBefore(userId, history[at]?.currency ?? currency ?? '', receivedAt ?? '', signal),
    enabled: receivedAt !== undefined && findNeededBalance(history, at) !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return result.data ?? undefined
}

async function readBalanceBefore(
  user: string,
  currency: string,
  at: string,
  signal: AbortSignal,
): Promise<string | null> {
  // Transfers in the same millisecond were earlier, because bets are processed one after another.
  const to = new Date(Date.parse(at) + 1).toISOString()
  const path = `/operator/players/${encodePathSegment(user)}/statement?limit=1&currency=${encodeQueryPart(currency)}&to=${to}`
  const page = await getJsonOrNone<StatementPage>(path, signal)
  // The last transfer is in an archive file (O-13).
  const archived = page?.archived?.find((one) => one.at < to)
  return page?.data[0]?.balance ?? archived?.balance ?? null
}
