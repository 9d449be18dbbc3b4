/** Input and result of the rules. Rules are pure: they use no database, clock or logger. */

import type { ReplyCode } from '@purser/protocol/reply-codes'
import { fitsBalance, type Scales } from '@purser/protocol/values/money'
import type { Currency } from '@purser/protocol/wire-ids'
import type { Account } from '../ledger/account.ts'
import { effectOnPlayer, type Posting } from '../ledger/posting.ts'
import type { Bet } from '../store/bet.ts'
import type { RuledPlayer } from '../store/player.ts'
import type { Session, TokenHash } from '../store/session.ts'
import type { EarlierCall } from './replay-detection.ts'

/**
 * Anomalies: calls that contradict the bet's life or themselves. They are recorded for a person to
 * check.
 */
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

/** A posting of this call; the call supplies player, bet and request. */
export type BetPosting = Pick<Posting, 'kind' | 'debit' | 'credit' | 'amount'>

export type Decision =
  /** Takes effect now: the bet becomes `bet`, and the postings move the money. */
  | { readonly kind: 'apply'; readonly bet: Bet; readonly postings: readonly BetPosting[]; readonly anomaly?: Anomaly }
  /**
   * A repeat, or a call that changes nothing: success with the time of the original. `isNew`:
   * the call is no copy but confirms the present result.
   */
  | { readonly kind: 'repeat'; readonly at: Date; readonly isNew?: true }
  /** `bet` is present if the wallet remembers the refusal (I-3). */
  | {
      readonly kind: 'refuse'
      readonly code: ReplyCode
      readonly detail?: string
      readonly bet?: Bet
      readonly anomaly?: Anomaly
    }

export const OUTCOME_BY_DECISION = { apply: 'applied', repeat: 'repeated', refuse: 'refused' } as const

export interface Rules {
  readonly scales: Scales
  /** Policy for taking back money that the player no longer has (L-2). */
  readonly clawback: 'refuse' | 'allow-negative'
  /** Payer of the stake of a bet with a bonus (M-4). */
  readonly freebetStake: 'player' | 'promotions'
  /** Milliseconds after which a settlement is locked, or null for never (L-3). */
  readonly resettleWindowMs: number | null
  /** Years; younger players are refused with code 16. */
  readonly minimumAge: number
  /** True: each platform may change the bets of the others (W-43). */
  readonly sharedBets: boolean
}

/** Totals of this UTC day in one currency, for the limits 11 to 13. */
export interface Turnover {
  readonly stakes: bigint
  readonly payouts: bigint
  readonly bets: number
}

export interface Facts {
  readonly bet: Bet
  readonly locked: boolean
  /** `requestId` of the Place bet that was accepted or refused for good. */
  readonly placeRequestId: string | null
  /**
   * Number, among the bet's calls, of the call with the last applied or confirmed result (I-2); 0
   * for none.
   */
  readonly lastResult: number
  /** Earlier calls with this `requestId`: the acknowledged one and the first refused one. */
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

/** The operator's lock and the resettle window forbid another result (L-3). */
export function isResultLocked(since: Date, { locked, now, rules }: Facts): boolean {
  return locked || (rules.resettleWindowMs !== null && now.getTime() - since.getTime() > rules.resettleWindowMs)
}

/**
 * Returns the refusal if these postings together cannot be made. Either they take money that the
 * player no longer has (L-2), or the new balance is too large to store.
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
