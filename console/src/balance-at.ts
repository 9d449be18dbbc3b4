/** What a player had when a call came that was refused for want of money. */

import { useQuery } from '@tanstack/react-query'
import { pathPart } from '../../src/protocol/path-part.ts'
import { neededBy } from '../../src/timeline/branch.ts'
import type { WalletBet } from '../../src/timeline/sources.ts'
import { part, readOrNone } from './api.ts'
import type { StatementPage } from './statement.ts'

/** A call among all calls of its bet: the balance after the player's last movement before it. Undefined until it is known, and of other calls. */
export function useBalanceAt(wallet: WalletBet | undefined, at: number): string | undefined {
  const { userId = '', history = [], currency } = wallet ?? {}
  const came = history[at]?.at
  const asked = useQuery({
    queryKey: ['balance at', userId, history[at]?.currency ?? currency, came],
    queryFn: ({ signal }) => balanceAt(userId, history[at]?.currency ?? currency ?? '', came ?? '', signal),
    enabled: came !== undefined && neededBy(history, at) !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return asked.data ?? undefined
}

async function balanceAt(user: string, currency: string, at: string, signal: AbortSignal): Promise<string | null> {
  const to = new Date(Date.parse(at) + 1).toISOString() // what moved in the same millisecond was before: one bet after the other
  const path = `/operator/players/${pathPart(user)}/statement?limit=1&currency=${part(currency)}&to=${to}`
  const page = await readOrNone<StatementPage>(path, signal)
  const carried = page?.archived?.find((one) => one.at < to) // the last movement before lies in a file (O-13)
  return page?.data[0]?.balance ?? carried?.balance ?? null
}
