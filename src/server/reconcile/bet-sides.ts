/** One bet as each of the two sides has it. Amounts are decimal text: the two may store a currency in different scales. */

import { toQualifiedBetId, toSentBetId } from '../../protocol/qualified-bet-id.ts'
import { formatMoney, type Money } from '../../protocol/values/money.ts'
import type { BetId } from '../../protocol/wire-ids.ts'
import { UsageError } from '../../runtime/errors/cli-errors.ts'

/** What a bet is at its partner: as the platform decided it, or as the partner has acknowledged it. `none`: it holds no money. */
export type BetState =
  | { readonly kind: 'none' }
  | { readonly kind: 'open' }
  | { readonly kind: 'settled'; readonly payout: string; readonly resultType: string }
  | { readonly kind: 'cancelled' }

export interface PlatformSide {
  readonly betId: string
  /** By whom the wallet may know the player: operatorUser first when there is one, then userId (I-1). */
  readonly players: readonly string[]
  readonly currency: string
  readonly stake: string
  /** The platform's own word for it. */
  readonly status: string
  readonly decided: BetState
  /** Acknowledged by the partner last. */
  readonly acknowledged: BetState
  /** A call about it is on its way or due, and nothing is known against it. */
  readonly isUnderWay: boolean
  /** The delivery that did not bring about what was decided. */
  readonly failed: FailedDelivery | null
  /** Number of deliveries decided so far: it grows with everything that happens to the bet. */
  readonly version: number
}

export interface FailedDelivery {
  readonly operation: string
  /**
   * refused: the partner said no. stuck: given up. pending: tried again after 400 with a code that does not speak of it (C-5), or
   * after six minutes without an answer (W-48). late: it has waited
   * for longer than its schedule can explain.
   */
  readonly status: 'refused' | 'stuck' | 'pending' | 'late'
  readonly code: number | null
}

/** C-9: decided, not acknowledged, and nothing is under way. */
export function isUnacknowledged({ decided, acknowledged, isUnderWay }: PlatformSide): boolean {
  return !isUnderWay && !isSameState(decided, acknowledged)
}

function isSameState(a: BetState, b: BetState): boolean {
  if (a.kind !== 'settled' || b.kind !== 'settled') return a.kind === b.kind
  return a.resultType === b.resultType && isSameAmount(a.payout, b.payout)
}

/** "12.10" and "12.1000" are one amount. */
export function isSameAmount(a: string, b: string | null): boolean {
  return b !== null && toShortestDecimal(a) === toShortestDecimal(b)
}

function toShortestDecimal(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

/**
 * A bet of the platform that was read before the wallet and behind it: what it says both times was so when the wallet was read. Else it is under
 * way, and what the partner had acknowledged before must be there.
 */
export function combineReadings(before: PlatformSide | undefined, after: PlatformSide | undefined) {
  if (after === undefined || JSON.stringify(before) === JSON.stringify(after)) return after
  return { ...after, told: before?.acknowledged ?? NOT_ACKNOWLEDGED, isUnderWay: true }
}
/** Of what is on its way nobody knows what the partner has. */
export const NOT_ACKNOWLEDGED: BetState = { kind: 'none' }

/** Whose bets of the wallet are compared, where several platforms call it (W-43): by name, '' is the one without. */
export type Platforms = readonly string[] | undefined

/** For who has not said so, and a bet has the name of a platform. */
export function toPlatformRequiredError(): UsageError {
  return new UsageError(
    "the wallet has bets of several platforms (W-43): give --platform NAME, a name in PARTNER_SECRETS, or --platform '' for the platform of PARTNER_SECRET",
  )
}

/** The ids under which the wallet may have a bet that came with this one. */
export function toWalletIds(betId: string, platforms: Platforms = []): string[] {
  return [betId, ...platforms.map((platform) => toQualifiedBetId({ betId: betId as BetId, platform }))]
}

export interface WalletSide {
  /** As the platform sent it. */
  readonly betId: string
  /** The wallet's own: of two platforms' bets with one id and one player, the second one has another (W-43). */
  readonly ownId: string
  readonly player: string
  /** Read from a database: where its row lies there. */
  readonly bucket?: number
  readonly status: 'unknown' | 'open' | 'settled' | 'cancelled' | 'refused'
  readonly currency: string | null
  readonly stake: string | null
  readonly payout: string | null
  readonly resultType: string | null
}

/** As the operator API shows a bet. */
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

/** Everything that carries one bet id, on both sides. */
export interface BetPair {
  readonly betId: string
  readonly platform: PlatformSide | undefined
  /** Several only when several players have a bet with this id (I-6). */
  readonly wallet: readonly WalletSide[]
}

/** Bets in the order of their ids, byte by byte, as `collate "C"` has it; in pages. */
export type Pages<T> = AsyncIterable<readonly T[]>

/** A stored amount as decimal text; `scale` is that in which its side stores the currency (M-5). */
export function formatStoredAmount(
  { scale, currency }: { scale: number | null; currency: string | null },
  amount: Money,
): string {
  if (scale === null) throw new Error(`no scale of ${currency} is recorded with its amounts`)
  return formatMoney(amount, scale)
}

/** The order of both streams. Ids are compared as bytes, whatever the collations of the databases are. */
export function compareIds(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
