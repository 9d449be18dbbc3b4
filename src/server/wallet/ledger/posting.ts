/** What is to be moved, before it has a number. Pure: the rules of bets make postings without knowing a database. */

import type { Money } from '../../../protocol/values/money.ts'
import type { BetId, Currency, PlayerId, RequestId } from '../../../protocol/wire-ids.ts'

/** The player's account is a row; the others exist per bucket and currency as names in transfers, and are summed. In the order of a trial balance. */
export const ACCOUNTS = [
  'player',
  'open_stakes',
  'house',
  'promotions',
  'cash_in',
  'cash_out',
  'adjustments',
  'openings',
] as const

export type AccountName = (typeof ACCOUNTS)[number]

/**
 * stake: funder → open stakes · refund: back again · stake_closed: open stakes → house · stake_reopened: back again ·
 * payout: house → payee · payout_reversal: back again · deposit: cash in → player · withdrawal: player → cash out ·
 * adjustment: adjustments → player, or back, as a person decided (O-2) · opening: openings → player, brought from another wallet (O-8)
 */
export const TRANSFER_KINDS = [
  'stake',
  'refund',
  'stake_closed',
  'stake_reopened',
  'payout',
  'payout_reversal',
  'deposit',
  'withdrawal',
  'adjustment',
  'opening',
] as const

export type TransferKind = (typeof TRANSFER_KINDS)[number]

export interface Posting {
  readonly player: PlayerId
  readonly currency: Currency
  readonly kind: TransferKind
  readonly debit: AccountName
  readonly credit: AccountName
  readonly amount: Money
  readonly betId?: BetId | undefined
  readonly requestId?: RequestId | undefined
  /** Of a bet of a platform that has a name (W-43). */
  readonly platform?: string | undefined
  /** Of a bet that one of the platform's sites took. */
  readonly site?: string | undefined
  /** The operator's reference of a deposit, withdrawal or adjustment. */
  readonly reference?: string | undefined
}

/** What the posting does to the player's balance, signed. */
export function effectOnPlayer(posting: Pick<Posting, 'debit' | 'credit' | 'amount'>): bigint {
  if (posting.credit === 'player') return posting.amount
  return posting.debit === 'player' ? -posting.amount : 0n
}
