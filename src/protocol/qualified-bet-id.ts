/**
 * The id of a platform's bet whose own id was taken by another platform (W-43): `ID@NAME`, longer than any that a platform may send, so no two
 * bets meet under it. A name has no @ and no dot.
 */
import type { BetId } from './wire-ids.ts'
import { LIMITS } from './wire-limits.ts'

interface PlatformBetId {
  readonly betId: BetId
  readonly platform: string
}

export function toQualifiedBetId({ betId, platform }: PlatformBetId): BetId {
  return `${betId}@${platform}`.padEnd(LIMITS.transactionId.maxLength + 1, '.') as BetId
}

/** The id that the platform sent. */
export function toSentBetId(betId: string): string {
  const isQualified = betId.length > LIMITS.transactionId.maxLength && betId.includes('@')
  return isQualified ? betId.slice(0, betId.lastIndexOf('@')) : betId
}

/** The name in such an id; none when it is of the platform without one. */
export function parsePlatformName(qualifiedId: string): string | undefined {
  return /@([^@.]+)\.*$/.exec(qualifiedId)?.[1]
}

/** What `toSentBetId` does as SQL, of a column. */
export function sentBetIdSql(column: string): string {
  const rest = `strpos(reverse(${column}), '@')`
  return `case when length(${column}) > ${LIMITS.transactionId.maxLength} then left(${column}, -${rest}) else ${column} end`
}
