/** What the model knows of a bet id. */
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
  /** W-49: the most that its odds pay. */
  most: bigint | undefined
  anomalies: Anomaly[]
  day: string
  placed: number
  settlement?: Settlement
  unsettled?: number
  cancelled?: number
  locked: boolean
  /** I-2: what was acknowledged under which requestId. */
  acknowledged: Map<string, number>
  /** I-2: what was first refused with 20 or 21 under which requestId, and how many results had been acknowledged by then. */
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

/** M-4: what a settlement of a bet funded by promotions refunds belongs to promotions. */
export function playersShare(bet: PlacedBet, settlement: Settlement | undefined): bigint {
  if (settlement === undefined) return 0n
  return bet.funder === 'promotions' && settlement.resultType === 'refund' ? 0n : settlement.amount
}
