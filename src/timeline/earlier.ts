/** Results that a bet had before: a bet that had lost and then won was never paid twice, so that no money tells of it. */
import { isArchived } from './history.ts'
import { sayResult } from './results.ts'
import type { PlatformBet, WalletBet } from './sources.ts'

const WORDS: Readonly<Record<string, string>> = {
  won: 'the bet had won',
  lost: 'the bet had lost',
  refund: 'the bet was void',
  cashout: 'the bet was cashed out',
}

/** As the wallet booked them, without the one that stands. */
export function earlierOfWallet(bet: WalletBet): string[] {
  const history = isArchived(bet) ? [] : bet.history
  const booked = history.filter(({ operation, outcome }) => operation === 'settle' && outcome === 'applied')
  return withoutStanding(
    booked.map(({ resultType = '' }) => resultType),
    bet.status,
  )
}

/** As the platform decided them; a cashout that was refused took itself back (C-8). */
export function earlierOfPlatform(bet: PlatformBet): string[] {
  const decided = bet.deliveries.flatMap(({ operation, status, request }) => {
    const resultType = operation === 'settle' ? request?.resultType : undefined
    return typeof resultType !== 'string' || (resultType === 'cashout' && status === 'refused') ? [] : [resultType]
  })
  return withoutStanding(decided, bet.status)
}

const withoutStanding = (results: readonly string[], status: string) =>
  status === 'settled' ? results.slice(0, -1) : [...results]

/** Empty where there was none. */
export function sayEarlier(results: readonly string[], status: string): string {
  const last = results.at(-1)
  if (last === undefined) return ''
  const words = WORDS[last] ?? `the bet was settled as ${sayResult(last)}`
  return status === 'settled' ? ` The result was corrected: ${words} before.` : ` A result was taken back: ${words}.`
}
