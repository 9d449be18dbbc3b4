/** One bet as each of the two sides has it. Amounts are decimal text: the two may store a currency in different scales. */
import { formatMoney, type Money } from '../protocol/money.ts'

/** What the partner has acknowledged last; `none` when it never said yes. */
export type Expected =
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
  /** What the platform decided. */
  readonly status: string
  readonly expected: Expected
  /** moving: a call about it is on its way or due; stuck: one was given up, and `expected` is what it was to bring about. */
  readonly deliveries: 'over' | 'moving' | 'stuck'
  /** The last delivery, if the partner refused it: `settle, code 20`. */
  readonly refused: string | null
  /** Number of deliveries decided so far: it grows with everything that happens to the bet. */
  readonly version: number
}

export interface WalletSide {
  readonly betId: string
  readonly player: string
  readonly status: 'unknown' | 'open' | 'settled' | 'cancelled' | 'refused'
  readonly currency: string | null
  readonly stake: string | null
  readonly payout: string | null
  readonly resultType: string | null
}

/** Everything that carries one bet id, on both sides. */
export interface Pair {
  readonly betId: string
  readonly platform: PlatformSide | undefined
  /** Several only when several players have a bet with this id (I-6). */
  readonly wallet: readonly WalletSide[]
}

/** Bets in the order of their ids, byte by byte, as `collate "C"` has it; in pages. */
export type Pages<T> = AsyncIterable<readonly T[]>

/** A stored amount as decimal text; `scale` is that in which its side stores the currency (M-5). */
export function amountIn(
  { scale, currency }: { scale: number | null; currency: string | null },
  amount: Money,
): string {
  if (scale === null) throw new Error(`no scale of ${currency} is on record beside its amounts`)
  return formatMoney(amount, scale)
}

/** The order of both streams. Ids are compared as bytes, whatever the collations of the databases are. */
export function compareIds(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
