/** Types for the bets of the model: the state that the model keeps for each bet id. */
import type { Anomaly } from './call.ts'

export interface Settlement {
  amount: bigint
  resultType: string
  moment: number
}
export interface PlacedBet {
  status: 'open' | 'settled' | 'cancelled'
  currency: string
  stake: bigint
  funder: 'player' | 'promotions'
  /** The highest payout by the odds (W-49). */
  most: bigint | undefined
  anomalies: Anomaly[]
  day: string
  placed: number
  settlement?: Settlement
  unsettled?: number
  cancelled?: number
  locked: boolean
  /** Acknowledged results by requestId, which make late repeats recognisable (I-2). */
  acknowledged: Map<string, number>
  /**
   * The first refusal with 20 or 21 of each requestId, and the number of results acknowledged
   * before it (I-2).
   */
  refused: Map<string, { code: number; results: number }>
  results: number
}
export interface Tombstone {
  status: 'tombstone'
  cancelled: number
}
export interface RefusedBet {
  status: 'refused'
  code: number
  cancelled?: number
}
export type Bet = PlacedBet | Tombstone | RefusedBet

/** A refund of a bet that promotions paid belongs to promotions (M-4). */
export function playersShare(bet: PlacedBet, settlement: Settlement | undefined): bigint {
  if (settlement === undefined) return 0n
  return bet.funder === 'promotions' && settlement.resultType === 'refund' ? 0n : settlement.amount
}
