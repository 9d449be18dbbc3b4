/** Types for the model's input (settings and calls) and for its predictions. */

export interface Settings {
  clawback: 'refuse' | 'allow-negative'
  freebetStake: 'player' | 'promotions'
  /** `operatorUser` identifies the player; otherwise the member has no meaning (I-1). */
  behindAggregator: boolean
  /** The wallet records no anomalies of payouts and bonuses (W-49). */
  notesNothing?: true
}

/** Numbers are the JSON text of the message. */
export interface Common {
  /** The player by the rule for aggregators (I-1). */
  player: string
  /** The message has `operatorUser`. */
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
  /** Only a cashout checks its token (L-4). */
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
 * A moment represents one transactionTime: replies with the same moment must have the same time
 * (R-2).
 *
 * `effect` is false if nothing took effect. Then any time is right, but a repeat must have the same
 * time.
 */
export type Verdict = { status: 200; moment: number; effect: boolean } | { status: 400; code: number }
export interface Prediction {
  /** `malformed` if the call does not reach the table of a bet's life. */
  row: Row | 'malformed'
  verdict: Verdict
  /** The special rule that decided the call, for the coverage. */
  rule: Rule | undefined
  anomaly: Anomaly | undefined
}
/** These calls are applied, with an anomaly (W-49). */
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

export interface BetView {
  status: Row
  currency?: string
  stake?: bigint
  funder?: 'player' | 'promotions'
  payout?: bigint
  resultType?: string
  /** In the order of the applied calls. */
  anomalies: Anomaly[]
}
