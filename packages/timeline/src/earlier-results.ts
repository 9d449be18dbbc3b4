/**
 * Lists the earlier results of a bet. A result that paid nothing left no transfer, so the transfers
 * alone cannot show it.
 */
import { hasArchivedTransfers } from './bet-history.ts'
import type { PlatformBetDetail, WalletBetDetail } from './bet-sources.ts'
import { formatResultType } from './result-names.ts'

const WORDS: Readonly<Record<string, string>> = {
  won: 'the bet had won',
  lost: 'the bet had lost',
  refund: 'the bet was void',
  cashout: 'the bet was cashed out',
}

export function listEarlierWalletResults(bet: WalletBetDetail): string[] {
  const history = hasArchivedTransfers(bet) ? [] : bet.history
  const booked = history.filter(({ operation, outcome }) => operation === 'settle' && outcome === 'applied')
  return withoutCurrentResult(
    booked.map(({ resultType = '' }) => resultType),
    bet.status,
  )
}

/** A rejected cashout does not count, because the platform reverses it (C-8). */
export function listEarlierPlatformResults(bet: PlatformBetDetail): string[] {
  const decided = bet.deliveries.flatMap(({ operation, status, request }) => {
    const resultType = operation === 'settle' ? request?.resultType : undefined
    return typeof resultType !== 'string' || (resultType === 'cashout' && status === 'refused') ? [] : [resultType]
  })
  return withoutCurrentResult(decided, bet.status)
}

const withoutCurrentResult = (results: readonly string[], status: string) =>
  status === 'settled' ? results.slice(0, -1) : [...results]

export function describeEarlierResults(results: readonly string[], status: string): string {
  const last = results.at(-1)
  if (last === undefined) return ''
  const words = WORDS[last] ?? `the bet was settled as ${formatResultType(last)}`
  return status === 'settled' ? ` The result was corrected: ${words} before.` : ` A result was withdrawn: ${words}.`
}
