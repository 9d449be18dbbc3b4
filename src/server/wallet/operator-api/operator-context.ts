/** What the handlers of the operator API share: the stores, and a player found and locked by the `userId` of the path. */

import {
  formatMoney,
  isCurrency,
  type Money,
  money,
  parseDecimal,
  requireScale,
  type Scales,
} from '../../../protocol/values/money.ts'
import type { Currency, PlayerId } from '../../../protocol/wire-ids.ts'
import { LIMITS } from '../../../protocol/wire-limits.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Db, Tx } from '../../core/database/db.ts'
import { invalid, notFound } from '../../core/http/api/problem-details.ts'
import { requireStorable } from '../../core/http/api/storable-text.ts'
import { bucketOf } from '../store/bucket.ts'
import { lockPlayers, type Player, readPlayer } from '../store/player.ts'

export interface OperatorDeps {
  /** What it asks, people ask; the connections of the calls are not for it. */
  readonly db: Pick<Db, 'transaction' | 'people' | 'snapshot' | 'sums'>
  readonly clock: Clock
  readonly buckets: number
  readonly scales: Scales
}

/** A player of the path, and the bucket of its rows. */
export interface LocatedPlayer {
  readonly player: Player
  readonly bucket: number
}

/** Where the player's rows are. 400 for an id that the wire could not name: it counts characters in UTF-16 too (I-7). */
export function locatePlayer(
  { buckets }: OperatorDeps,
  userId: string,
  pointer = '/path/userId',
): { id: PlayerId; bucket: number } {
  requireStorable(userId, pointer)
  if (userId.length > LIMITS.userId.maxLength) throw invalid(pointer, 'is too long in UTF-16')
  return { id: userId as PlayerId, bucket: bucketOf(userId, buckets) }
}

/** 404 when there is none. */
export async function findPlayer(deps: OperatorDeps, userId: string): Promise<LocatedPlayer> {
  const { id, bucket } = locatePlayer(deps, userId)
  const player = await readPlayer(deps.db.people, bucket, id)
  if (player === undefined) throw notFound('the player')
  return { player, bucket }
}

/** Runs `work` with the player locked, in one transaction; 404 when there is none. */
export function withPlayer<T>(
  deps: OperatorDeps,
  userId: string,
  work: (tx: Tx, located: LocatedPlayer) => Promise<T>,
): Promise<T> {
  const { id, bucket } = locatePlayer(deps, userId)
  return deps.db.transaction(async (tx) => {
    const player = (await lockPlayers(tx, bucket, [id])).get(id)
    if (player === undefined) throw notFound('the player')
    return work(tx, { player, bucket })
  })
}

/** 400 unless the code is configured here. */
export function toCurrency({ scales }: Pick<OperatorDeps, 'scales'>, code: string, pointer: string): Currency {
  if (!isCurrency(scales, code)) throw invalid(pointer, `${code} is not a currency of this wallet`)
  return code
}

/** 400 unless the decimal fits the currency's scale. */
export function toAmount({ scales }: OperatorDeps, text: string, currency: Currency, pointer: string): Money {
  const amount = parseDecimal(text, requireScale(scales, currency))
  if (amount === undefined) throw invalid(pointer, `is too large or has more decimals than ${currency}`)
  return amount
}

/** As `toAmount`, of a decimal that may begin with a minus. */
export function toSignedAmount(deps: OperatorDeps, text: string, currency: Currency, pointer: string): Money {
  const amount = toAmount(deps, text.replace('-', ''), currency, pointer)
  return text.startsWith('-') ? money(-amount) : amount
}

/** Money as a decimal string of the currency, "-12.10". */
export function formatAmount({ scales }: Pick<OperatorDeps, 'scales'>, amount: Money, currency: Currency): string {
  return formatMoney(amount, requireScale(scales, currency))
}
