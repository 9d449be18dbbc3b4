/**
 * Player of a load, with one balance in the wallet. No other program may change this balance during
 * the load.
 */

export interface LoadPlayer {
  readonly userId: string
  readonly token: string
  readonly currency: string
  /** Number of decimals of the currency. */
  readonly scale: number
  /** Set if the wallet is called by an aggregator. */
  readonly operatorUser?: string
}
