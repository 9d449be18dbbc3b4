/**
 * Bet in the wallet; docs/reference/decisions.md has the life of a bet.
 *
 * States:
 * - unknown: Place bet → open, or → refused with code 7, 9, or 11–16; Rollback → cancelled
 * - open: Settle → settled; Rollback → cancelled
 * - settled: Settle → settled (resettle); Unsettle → open
 * - cancelled and refused are final
 *
 * The player and the bet id identify a bet: a call with another player concerns another bet (I-1).
 */
import type { ResultType } from '@purser/protocol/bet-request'
import type { RememberedRefusal } from '@purser/protocol/reply-codes'
import type { Money } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import type { TokenHash } from './session.ts'

/** Payer of a stake (M-4). */
export type Funder = 'player' | 'promotions'

export interface Placement {
  readonly stake: Money
  readonly currency: Currency
  readonly funder: Funder
  /** Site of the platform on which the bet was placed; empty for none. */
  readonly site: string
  /** Highest payout by the odds, in minor units (W-49); null if the odds are unknown. */
  readonly oddsPayout: Money | null
  readonly placedAt: Date
}

export interface Settlement {
  readonly payout: Money
  readonly resultType: ResultType
  /** Recipient: the player, or promotions for the refund of a stake that they paid (M-4). */
  readonly payee: Funder
}

/** `since`: time of the last applied operation. */
export type Bet =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'open'; readonly placement: Placement; readonly since: Date }
  | { readonly kind: 'settled'; readonly placement: Placement; readonly settlement: Settlement; readonly since: Date }
  /** `placement` is absent for a tombstone: the Rollback came before the bet. */
  | { readonly kind: 'cancelled'; readonly placement?: Placement; readonly since: Date }
  | { readonly kind: 'refused'; readonly refusal: RememberedRefusal; readonly since: Date }

interface CallBase {
  readonly requestId: RequestId
  readonly betId: BetId
  readonly player: PlayerId
  /** Platform whose secret signed the call (W-43); empty for the platform of PARTNER_SECRET. */
  readonly platform: string
}

export interface PlaceCall extends CallBase {
  readonly kind: 'place'
  readonly token: TokenHash
  readonly currency: Currency
  readonly stake: Money
  readonly hasBonus: boolean
  /**
   * Amount that the bonus covers, in minor units, rounded down; null if the call does not state it.
   */
  readonly bonusAmount: Money | null
  /** As `Placement.oddsPayout`. */
  readonly oddsPayout: Money | null
  readonly site: string
  /** Describing members (odds, selections, ip and others) as JSON text (W-3). */
  readonly details: string
  /** Ids of the events in the selections, for the search (W-44). */
  readonly events: readonly string[]
}

export interface SettleCall extends CallBase {
  readonly kind: 'settle'
  readonly currency: Currency
  readonly payout: Money
  readonly resultType: ResultType
  /** Present only for a cashout (L-4). */
  readonly token?: TokenHash
}

export interface UnsettleCall extends CallBase {
  readonly kind: 'unsettle'
  readonly currency?: Currency
  /** As sent; only compared with repeats, never paid (I-4). */
  readonly amount?: Money
}

export interface RollbackCall extends CallBase {
  readonly kind: 'rollback'
  readonly currency?: Currency
  readonly amount?: Money
  /** The wire's `errorCode`. */
  readonly reason: number
}

export type BetCall = PlaceCall | SettleCall | UnsettleCall | RollbackCall
