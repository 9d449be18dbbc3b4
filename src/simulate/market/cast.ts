/** Who is in the market: players, and bets that the platform has answered. */
import type { CurrencyName, Purse } from './cents.ts'
import type { Market } from './market.ts'
import type { OtherPlatform } from './other-platform.ts'
import type { WalletName } from './who.ts'

export const PARTNER = 'the-operator'

export interface Player {
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
  readonly moving: Purse
  /** What the wallet has said yes to. */
  readonly cash: Purse
}

export interface Cast {
  readonly players: readonly Player[]
  /** That the platform has answered. */
  readonly bets: { readonly betId: string; readonly player: Player; readonly currency: CurrencyName }[]
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
export const RECENT = 8

/** A bet by its name in the story; undefined when there is none in this run. */
export function betCalled(
  market: Pick<Market, 'names'>,
  { bets }: Cast,
  name: string,
): Cast['bets'][number] | undefined {
  return bets.find(({ betId }) => market.names.bet(betId) === name)
}
