/** A player of a load: one purse of the wallet under load, which nobody else may use meanwhile. */

export interface LoadPlayer {
  readonly userId: string
  readonly token: string
  readonly currency: string
  /** Decimal places of the currency. */
  readonly scale: number
  /** Behind an aggregator. */
  readonly operatorUser?: string
}
