/**
 * Dependencies that the operator API's handlers share, and functions that find or lock a player by
 * `userId`.
 */

import {
  formatMoney,
  isCurrency,
  type Money,
  money,
  parseDecimal,
  requireScale,
  type Scales,
} from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { LIMITS } from '@purser/protocol/wire-limits'
import type { Clock } from '@purser/runtime/clock'
import type { Db, Tx } from '../../core/database/db.ts'
import { invalid, notFound } from '../../core/http/api/problem-details.ts'
import { requireStorable } from '../../core/http/api/storable-text.ts'
import { bucketOf } from '../store/bucket.ts'
import { lockPlayers, type Player, readPlayer } from '../store/player.ts'

export interface OperatorDeps {
  /** Connections for people's queries; the platform's calls have their own. */
  readonly db: Pick<Db, 'transaction' | 'userQueries' | 'snapshot' | 'reportSnapshot'>
  readonly clock: Clock
  readonly buckets: number
  readonly scales: Scales
}

export interface LocatedPlayer {
  readonly player: Player
  readonly bucket: number
}

/**
 * Bucket of a player. An id that the wire does not permit is 400; its length counts in UTF-16 units
 * too (I-7).
 */
export function locatePlayer(
  { buckets }: OperatorDeps,
  userId: string,
  pointer = '/path/userId',
): { id: PlayerId; bucket: number } {
  requireStorable(userId, pointer)
  if (userId.length > LIMITS.userId.maxLength) throw invalid(pointer, 'is too long in UTF-16')
  return { id: userId as PlayerId, bucket: bucketOf(userId, buckets) }
}

/** 404 if the player does not exist. */
export async function findPlayer(deps: OperatorDeps, userId: string): Promise<LocatedPlayer> {
  const { id, bucket } = locatePlayer(deps, userId)
  const player = await readPlayer(deps.db.userQueries, bucket, id)
  if (player === undefined) throw notFound('the player')
  return { player, bucket }
}

/** Runs `work` in a transaction with the player locked; 404 if the player does not exist. */
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

/** 400 unless the currency is configured. */
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

/** As `toAmount`, for a decimal with an optional minus. */
export function toSignedAmount(deps: OperatorDeps, text: string, currency: Currency, pointer: string): Money {
  const amount = toAmount(deps, text.replace('-', ''), currency, pointer)
  return text.startsWith('-') ? money(-amount) : amount
}

/** Decimal text in the currency's scale, such as "-12.10". */
export function formatAmount({ scales }: Pick<OperatorDeps, 'scales'>, amount: Money, currency: Currency): string {
  return formatMoney(amount, requireScale(scales, currency))
}
