/**
 * A bet, as the wallet knows it (decisions.md, The bet's life):
 *
 *   unknown ──place──► open ──settle──► settled        unknown ──place, refused with 7, 9, 11–16──► refused
 *   unknown ──rollback──► cancelled     settled ──settle──► settled (resettle)
 *   open ──rollback──► cancelled        settled ──unsettle──► open
 *
 * A bet is (player, BetId): a call that names another player is about another bet (I-1).
 */
import type { ResultType } from '../../../protocol/bet-request.ts'
import type { RememberedRefusal } from '../../../protocol/reply-codes.ts'
import type { Money } from '../../../protocol/values/money.ts'
import type { BetId, Currency, PlayerId, RequestId } from '../../../protocol/wire-ids.ts'
import type { TokenHash } from './session.ts'

/** Whose money a stake is (M-4). */
export type Funder = 'player' | 'promotions'

export interface Placement {
  readonly stake: Money
  readonly currency: Currency
  readonly funder: Funder
  /** Of the platform's sites, where the player has placed it; empty for none. */
  readonly site: string
  /** Minor units: the most that its odds pay (W-49); null when they are unknown. */
  readonly oddsPayout: Money | null
  readonly placedAt: Date
}

/** The applied result. A resettle replaces it. */
export interface Settlement {
  readonly payout: Money
  readonly resultType: ResultType
  /** Who got the payout: the player, or promotions for the refund of a stake it funded (M-4). */
  readonly payee: Funder
}

/** `since` is when the last applied operation took effect. */
export type Bet =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'open'; readonly placement: Placement; readonly since: Date }
  | { readonly kind: 'settled'; readonly placement: Placement; readonly settlement: Settlement; readonly since: Date }
  /** `placement` is absent when the rollback came before the bet: a tombstone. */
  | { readonly kind: 'cancelled'; readonly placement?: Placement; readonly since: Date }
  | { readonly kind: 'refused'; readonly refusal: RememberedRefusal; readonly since: Date }

interface CallBase {
  readonly requestId: RequestId
  readonly betId: BetId
  readonly player: PlayerId
  /** Whose secret signed it (W-43); empty: the platform of PARTNER_SECRET. */
  readonly platform: string
}

export interface PlaceCall extends CallBase {
  readonly kind: 'place'
  readonly token: TokenHash
  readonly currency: Currency
  readonly stake: Money
  readonly hasBonus: boolean
  /** Minor units, rounded down: what the bonus covers; null when the call does not say. */
  readonly bonusAmount: Money | null
  /** As `Placement.oddsPayout`. */
  readonly oddsPayout: Money | null
  readonly site: string
  /** What only describes the bet (odds, selections, ip …), as JSON text for the record. */
  readonly details: string
  /** Of its selections: what the bet is found by (W-44). */
  readonly events: readonly string[]
}

export interface SettleCall extends CallBase {
  readonly kind: 'settle'
  readonly currency: Currency
  readonly payout: Money
  readonly resultType: ResultType
  /** Of a cashout only (L-4). */
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
