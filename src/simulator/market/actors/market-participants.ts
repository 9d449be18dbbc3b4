/** Who is in the market: players, and bets that the platform has answered. */

import type { Market } from '../market.ts'
import type { CurrencyAmounts, CurrencyName } from '../oracle/market-money.ts'
import type { OtherPlatform } from './other-platform.ts'
import type { WalletName } from './party-names.ts'

export const MARKET_PARTNER = 'the-operator'

export interface MarketPlayer {
  /** In the story. */
  readonly name: string
  readonly wallet: WalletName
  /** As its operator calls it. */
  readonly userId: string
  /** As the platform calls it. */
  knownAs: string
  /** All that it was given. */
  readonly tokens: string[]
  /** Undefined when the token that it had is known to have ended: it was refused. */
  frameSessionId: string | undefined
  /** Of that frame session. */
  currency: CurrencyName
  /** The last one that it was given. */
  token: string | undefined
  /** What is just being moved by hand; it is in `cash`, and goes when it is refused. */
  readonly moving: CurrencyAmounts
  /** What the wallet has said yes to. */
  readonly cash: CurrencyAmounts
}

export interface Participants {
  readonly players: readonly MarketPlayer[]
  /** That the platform has answered. */
  readonly bets: { readonly betId: string; readonly player: MarketPlayer; readonly currency: CurrencyName }[]
  /** Ids of bets that another platform uses too. */
  readonly shared?: Set<string>
  /** In a scene that has one. */
  other?: OtherPlatform
  /** Of money in and out: so many were made. */
  movements: number
  /** Actors go on until then. */
  isOver: boolean
  /** Makes the first wallet what it was when its backup was made. */
  putBack?: () => Promise<void>
  /** Wallets of which an older backup was put back while things went wrong: what they have lost stays lost. */
  readonly restored: Set<WalletName>
  /** Of reconcile, right behind that. */
  readonly misnamed: string[]
}

/** Of the last bets, about which there is most to say. */
export const RECENT_BETS = 8

/** A bet by its name in the story; undefined when there is none in this run. */
export function findBetByName(
  market: Pick<Market, 'names'>,
  { bets }: Participants,
  name: string,
): Participants['bets'][number] | undefined {
  return bets.find(({ betId }) => market.names.bet(betId) === name)
}
