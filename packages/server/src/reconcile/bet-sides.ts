/**
 * One bet as the platform has it, and as the wallet has it. Amounts are decimal text, because the
 * two sides may have different scales.
 */

import { toQualifiedBetId, toSentBetId } from '@purser/protocol/qualified-bet-id'
import { formatMoney, type Money } from '@purser/protocol/values/money'
import type { BetId } from '@purser/protocol/wire-ids'
import { UsageError } from '@purser/runtime/errors/cli-errors'

/** State as the platform decided it, or as the partner acknowledged it. `none` holds no money. */
export type BetState =
  | { readonly kind: 'none' }
  | { readonly kind: 'open' }
  | { readonly kind: 'settled'; readonly payout: string; readonly resultType: string }
  | { readonly kind: 'cancelled' }

export interface PlatformSide {
  readonly betId: string
  /** Names of the player in the wallet: operatorUser, if it exists, then userId (I-1). */
  readonly players: readonly string[]
  readonly currency: string
  readonly stake: string
  /** As the platform names it. */
  readonly status: string
  readonly decided: BetState
  /** The last state that the partner acknowledged. */
  readonly acknowledged: BetState
  /** A call about the bet is under way or due, and is neither owed nor stuck. */
  readonly isUnderWay: boolean
  /** The delivery that did not achieve the decided state. */
  readonly failed: FailedDelivery | null
  /** Number of deliveries. It grows with each change of the bet. */
  readonly version: number
}

export interface FailedDelivery {
  readonly operation: string
  /**
   * - `refused`: the partner refused the call.
   * - `stuck`: its retries have stopped.
   * - `pending`: it is retried after a 400 whose code does not concern it (C-5), or after six
   *   minutes without an answer (W-48).
   * - `late`: it has waited for longer than its schedule explains.
   */
  readonly status: 'refused' | 'stuck' | 'pending' | 'late'
  readonly code: number | null
}

/** The partner has not acknowledged the decision, and no call is under way (C-9). */
export function isUnacknowledged({ decided, acknowledged, isUnderWay }: PlatformSide): boolean {
  return !isUnderWay && !isSameState(decided, acknowledged)
}

function isSameState(a: BetState, b: BetState): boolean {
  if (a.kind !== 'settled' || b.kind !== 'settled') return a.kind === b.kind
  return a.resultType === b.resultType && isSameAmount(a.payout, b.payout)
}

/** "12.10" and "12.1000" are the same amount. */
export function isSameAmount(a: string, b: string | null): boolean {
  return b !== null && toShortestDecimal(a) === toShortestDecimal(b)
}

function toShortestDecimal(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

/**
 * Combines readings of a bet before and after the wallet was read. Equal readings were valid at
 * that time. Otherwise the bet is under way, and only the state that was acknowledged before must
 * be in the wallet.
 */
export function combineReadings(
  before: PlatformSide | undefined,
  after: PlatformSide | undefined,
): PlatformSide | undefined {
  if (after === undefined || JSON.stringify(before) === JSON.stringify(after)) return after
  return { ...after, acknowledged: before?.acknowledged ?? NOT_ACKNOWLEDGED, isUnderWay: true }
}
/** While a call is under way, the partner's state is unknown. */
export const NOT_ACKNOWLEDGED: BetState = { kind: 'none' }

/** Platforms to compare (W-43); '' is the platform without a name. */
export type Platforms = readonly string[] | undefined

/** For a wallet with bets of named platforms. */
export function toPlatformRequiredError(): UsageError {
  return new UsageError(
    "the wallet has bets of several platforms (W-43): give --platform NAME, a name in PARTNER_SECRETS, or --platform '' for the platform of PARTNER_SECRET",
  )
}

/** Ids that the bet may have in the wallet. */
export function toWalletIds(betId: string, platforms: Platforms = []): string[] {
  return [betId, ...platforms.map((platform) => toQualifiedBetId({ betId: betId as BetId, platform }))]
}

export interface WalletSide {
  /** The id that the platform sent. */
  readonly betId: string
  /**
   * The wallet's id. It differs for the second of two platforms' bets with the same id and player
   * (W-43).
   */
  readonly ownId: string
  readonly player: string
  /** Only when read from a database. */
  readonly bucket?: number
  readonly status: 'unknown' | 'open' | 'settled' | 'cancelled' | 'refused'
  readonly currency: string | null
  readonly stake: string | null
  readonly payout: string | null
  readonly resultType: string | null
}

/** A bet in the format of the operator API. */
export interface WalletBetView {
  readonly userId: string
  readonly transactionId: string
  readonly platform?: string
  readonly status: WalletSide['status']
  readonly currency?: string
  readonly stake?: string
  readonly payout?: string
  readonly resultType?: string
}

export function toWalletSide(view: WalletBetView): WalletSide {
  const { userId, transactionId, status, currency, stake, payout, resultType } = view
  return {
    betId: toSentBetId(transactionId),
    ownId: transactionId,
    player: userId,
    status,
    currency: currency ?? null,
    stake: stake ?? null,
    payout: payout ?? null,
    resultType: resultType ?? null,
  }
}

/** All bets with the same id, on both sides. */
export interface BetPair {
  readonly betId: string
  readonly platform: PlatformSide | undefined
  /** Several if several players have a bet with this id (I-6). */
  readonly wallet: readonly WalletSide[]
}

/** Pages of bets in the order of their ids, byte by byte as with `collate "C"`. */
export type Pages<T> = AsyncIterable<readonly T[]>

/** `scale` is the scale in which the side stores the currency (M-5). */
export function formatStoredAmount(
  { scale, currency }: { scale: number | null; currency: string | null },
  amount: Money,
): string {
  if (scale === null) throw new Error(`no scale of ${currency} is recorded with its amounts`)
  return formatMoney(amount, scale)
}

/** Order of both streams: ids as bytes, independent of a database's collation. */
export function compareIds(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
