/** What a rule answers, and what it may look at. Rules are pure: no database, no clock, no logger. */

import type { ReplyCode } from '../../../protocol/reply-codes.ts'
import { fitsBalance, type Scales } from '../../../protocol/values/money.ts'
import type { Currency } from '../../../protocol/wire-ids.ts'
import type { Account } from '../ledger/account.ts'
import { effectOnPlayer, type Posting } from '../ledger/posting.ts'
import type { Bet } from '../store/bet.ts'
import type { RuledPlayer } from '../store/player.ts'
import type { Session, TokenHash } from '../store/session.ts'
import type { EarlierCall } from './replay-detection.ts'

/** A call that contradicts the bet's life or itself; kept for a person to look at. */
export const ANOMALIES = [
  'place_differs_from_bet',
  'place_after_rollback',
  'settle_of_unknown_bet',
  'settle_of_refused_bet',
  'settle_after_rollback',
  'unsettle_of_unknown_bet',
  'unsettle_of_refused_bet',
  'unsettle_after_rollback',
  'place_bet_with_put',
  'rollback_after_settle',
  'currency_differs_from_bet',
  'result_contradicts_amount',
  'payout_above_odds',
  'bonus_below_stake',
  'taking_back_refused',
] as const
export type Anomaly = (typeof ANOMALIES)[number]

/** A posting of this call; player, bet and request are the call's own. */
export type BetPosting = Pick<Posting, 'kind' | 'debit' | 'credit' | 'amount'>

export type Decision =
  /** Takes effect now: the bet becomes `bet`, the postings move the money. */
  | { readonly kind: 'apply'; readonly bet: Bet; readonly postings: readonly BetPosting[]; readonly anomaly?: Anomaly }
  /**
   * Seen before, or nothing left to do: success without effect, with the time of the original
   * . `isUnusedCursor`: it is no copy; the result was decided once more.
   */
  | { readonly kind: 'repeat'; readonly at: Date; readonly isNew?: true }
  /** `bet` is what is remembered, when the refusal itself changes what is known (I-3). */
  | {
      readonly kind: 'refuse'
      readonly code: ReplyCode
      readonly detail?: string
      readonly bet?: Bet
      readonly anomaly?: Anomaly
    }

/** How a decision stands on record. */
export const OUTCOME_BY_DECISION = { apply: 'applied', repeat: 'repeated', refuse: 'refused' } as const

export interface Rules {
  readonly scales: Scales
  /** L-2: what happens when money is taken back that the player no longer has. */
  readonly clawback: 'refuse' | 'allow-negative'
  /** M-4: who pays the stake of a bet with a bonus. */
  readonly freebetStake: 'player' | 'promotions'
  /** L-3: milliseconds after which a settlement can no longer be changed; null for never. */
  readonly resettleWindowMs: number | null
  /** Years; younger players are refused with code 16. */
  readonly minimumAge: number
  /** W-43: each platform may change what another one has placed. */
  readonly sharedBets: boolean
}

/** What a player did on this UTC day in one currency (limits 11–13). */
export interface Turnover {
  readonly stakes: bigint
  readonly payouts: bigint
  readonly bets: number
}

/** Everything a rule may look at. */
export interface Facts {
  readonly bet: Bet
  readonly locked: boolean
  /** The requestId of the Place bet that was accepted, or refused for good. */
  readonly placeRequestId: string | null
  /** Number of the call whose result was applied last, or was what the bet had already (I-2), among the calls about the bet; 0 for none. */
  readonly lastResult: number
  /** Earlier calls with the requestId of this one, as far as they matter: the acknowledged one, the first refused one. */
  readonly seen: readonly EarlierCall[]
  readonly player: RuledPlayer | undefined
  readonly now: Date
  readonly rules: Rules
  session(token: TokenHash): Session | undefined
  account(currency: Currency): Account | undefined
  turnover(currency: Currency): Turnover
}

export function refuseCall(code: ReplyCode, anomaly?: Anomaly, detail?: string): Decision {
  return { kind: 'refuse', code, ...(anomaly && { anomaly }), ...(detail && { detail }) }
}

/** L-3: the operator's lock, or a settlement older than the window, forbids another result. */
export function isResultLocked(since: Date, { locked, now, rules }: Facts): boolean {
  return locked || (rules.resettleWindowMs !== null && now.getTime() - since.getTime() > rules.resettleWindowMs)
}

/**
 * Why these postings together cannot be made: they take money that the player no longer has, and the policy is to refuse
 * that (L-2); or they make a balance that cannot be stored.
 */
export function findMoneyRefusal(
  postings: readonly BetPosting[],
  currency: Currency,
  facts: Facts,
): Decision | undefined {
  const effect = postings.reduce((sum, posting) => sum + effectOnPlayer(posting), 0n)
  const after = (facts.account(currency)?.balance ?? 0n) + effect
  if (effect < 0n && after < 0n && facts.rules.clawback === 'refuse') {
    return refuseCall('recalculation_negative', 'taking_back_refused')
  }
  return fitsBalance(after)
    ? undefined
    : refuseCall(
        'invalid_request',
        undefined,
        'amount would make the balance larger than this wallet can hold; it must be smaller',
      )
}
