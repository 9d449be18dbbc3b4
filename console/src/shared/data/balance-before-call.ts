/** What a player had when a call came that was refused for want of money. */

import { useQuery } from '@tanstack/react-query'
import { encodePathSegment } from '../../../../src/protocol/values/path-segment.ts'
import type { WalletBetDetail } from '../../../../src/timeline/bet-sources.ts'
import { findNeededBalance } from '../../../../src/timeline/call-explanation.ts'
import { encodeQueryPart, getJsonOrNone } from '../../app/console-api.ts'
import type { StatementPage } from './statement.ts'

/** A call among all calls of its bet: the balance after the player's last movement before it. Undefined until it is known, and of other calls. */
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
  const to = new Date(Date.parse(at) + 1).toISOString() // what moved in the same millisecond was before: one bet after the other
  const path = `/operator/players/${encodePathSegment(user)}/statement?limit=1&currency=${encodeQueryPart(currency)}&to=${to}`
  const page = await getJsonOrNone<StatementPage>(path, signal)
  const archived = page?.archived?.find((one) => one.at < to) // the last movement before lies in a file (O-13)
  return page?.data[0]?.balance ?? archived?.balance ?? null
}
