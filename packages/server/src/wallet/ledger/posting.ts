/**
 * Posting: a movement of money that has no transfer number yet. It is pure data, so the rules need
 * no database.
 */

import type { Money } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'

/**
 * In the order of a trial balance. Only the player's account has a row. The others exist per bucket
 * and currency as names in transfers, and are summed.
 */
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
 * Each kind moves money from its debit to its credit account:
 * - stake: funder → open stakes; refund: back
 * - stake_closed: open stakes → house; stake_reopened: back
 * - payout: house → payee; payout_reversal: back
 * - deposit: cash in → player; withdrawal: player → cash out
 * - adjustment: adjustments → player, or back, as a person decided (O-2)
 * - opening: openings → player, for a balance from another wallet (O-8)
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
  /** Platform of the bet, if it has a name (W-43). */
  readonly platform?: string | undefined
  /** Site of the platform that took the bet. */
  readonly site?: string | undefined
  /** Operator's reference of a deposit, withdrawal or adjustment. */
  readonly reference?: string | undefined
}

/** Signed. */
export function effectOnPlayer(posting: Pick<Posting, 'debit' | 'credit' | 'amount'>): bigint {
  if (posting.credit === 'player') return posting.amount
  return posting.debit === 'player' ? -posting.amount : 0n
}
