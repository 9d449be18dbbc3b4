/** The simulation's records of players, and of the bets that the platform has answered. */

import type { Market } from '../market.ts'
import type { CurrencyAmounts, CurrencyName } from '../oracle/market-money.ts'
import type { OtherPlatform } from './other-platform.ts'
import type { WalletName } from './party-names.ts'

export const MARKET_PARTNER = 'the-operator'

export interface MarketPlayer {
  /** The name in the story. */
  readonly name: string
  readonly wallet: WalletName
  /** The operator's id of the player. */
  readonly userId: string
  /** The platform's id of the player, which a gateway creates. */
  knownAs: string
  readonly tokens: string[]
  /** Undefined if a bet was refused because the session's token has ended. */
  frameSessionId: string | undefined
  currency: CurrencyName
  /** The newest token. */
  token: string | undefined
  /** Manual movements without an answer. `cash` includes them until a refusal. */
  readonly moving: CurrencyAmounts
  /** The sum of confirmed movements and of `moving`. */
  readonly cash: CurrencyAmounts
}

export interface Participants {
  readonly players: readonly MarketPlayer[]
  readonly bets: { readonly betId: string; readonly player: MarketPlayer; readonly currency: CurrencyName }[]
  /** Ids of bets that another platform uses too. */
  readonly shared?: Set<string>
  other?: OtherPlatform
  /** The number of deposits and withdrawals so far. */
  movements: number
  isOver: boolean
  /** Restores the backup of the first wallet. */
  putBack?: () => Promise<void>
  /** Wallets whose backup was restored during the faults. Their missing data stays lost. */
  readonly restored: Set<WalletName>
  /** Bets that reconcile named wrongly, or not at all, directly after a restore. */
  readonly misnamed: string[]
}

/** The number of newest bets from which actors choose, because most calls concern these. */
export const RECENT_BETS = 8

/** `name`: the bet's name in the story. Undefined if this run has no such bet. */
export function findBetByName(
  market: Pick<Market, 'names'>,
  { bets }: Participants,
  name: string,
): Participants['bets'][number] | undefined {
  return bets.find(({ betId }) => market.names.bet(betId) === name)
}
