/** What goes into the model and what it says. */

export interface Settings {
  clawback: 'refuse' | 'allow-negative'
  freebetStake: 'player' | 'promotions'
  /** I-1: whether `operatorUser` names the player; else the member means nothing. */
  behindAggregator: boolean
  /** The wallet notes nothing about payouts and bonuses (W-49). */
  notesNothing?: true
}

/** Numbers are the JSON text that is sent. */
export interface Common {
  /** Who the message names in the end (I-1). */
  player: string
  /** The message carries `operatorUser`. */
  viaAggregator: boolean
  bet: string
  request: string
}
export interface PlaceCall extends Common {
  kind: 'place'
  amount: string
  currency: string
  token: string
  bonusId: string
  bonusAmount: string | undefined
  coefficient: string
  booster: string
}
export interface SettleCall extends Common {
  kind: 'settle'
  amount: string
  currency: string
  resultType: string
  /** Looked at for a cashout only (L-4). */
  token: string | undefined
}
export interface ReversalCall extends Common {
  kind: 'unsettle' | 'rollback'
  amount: string | undefined
  currency: string | undefined
}
export type Call = PlaceCall | SettleCall | ReversalCall
export type Row = 'nothing' | 'open' | 'settled' | 'cancelled' | 'refused'

/**
 * A moment stands for one transactionTime: replies with the same moment must carry the same time. `effect` is
 * false when nothing took effect that the time could belong to; then only its repetition is prescribed.
 */
export type Verdict = { status: 200; moment: number; effect: boolean } | { status: 400; code: number }
export interface Prediction {
  /** `malformed` when the call does not reach the life table. */
  row: Row | 'malformed'
  verdict: Verdict
  /** The special rule that decided, for counting. */
  rule: Rule | undefined
  anomaly: Anomaly | undefined
}
/** W-49: applied, and noted. */
export const ANOMALIES = ['payout_above_odds', 'bonus_below_stake'] as const
export type Anomaly = (typeof ANOMALIES)[number]

export const RULES = [
  'D-1: no bonus',
  'D-3: a payout of -0',
  'I-2: a late repeat',
  'I-2: refused for good',
  'I-3: refused again',
  'I-4: another currency',
  'L-1: identical',
  'L-1: another type',
  'L-1: another amount',
  'L-2: taken below zero',
  'L-3: locked',
  'M-4: paid by promotions',
  'M-4: refunded to promotions',
  'S-5: a Place bet with PUT',
] as const
export type Rule = (typeof RULES)[number]

/** What the operator can see of a bet. */
export interface BetView {
  status: Row
  currency?: string
  stake?: bigint
  funder?: 'player' | 'promotions'
  payout?: bigint
  resultType?: string
  /** Of what was applied, in its order. */
  anomalies: Anomaly[]
}
