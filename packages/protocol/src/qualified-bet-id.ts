/**
 * Bet id with the name of its platform, for a bet whose own id another platform has used (W-43).
 *
 * `ID@NAME` is padded to more characters than a platform may send, so it equals no sent id. A name
 * contains neither @ nor a dot.
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

/** The id without the name of the platform. */
export function toSentBetId(betId: string): string {
  const isQualified = betId.length > LIMITS.transactionId.maxLength && betId.includes('@')
  return isQualified ? betId.slice(0, betId.lastIndexOf('@')) : betId
}

/** Undefined for an id of the platform without a name. */
export function parsePlatformName(qualifiedId: string): string | undefined {
  return /@([^@.]+)\.*$/.exec(qualifiedId)?.[1]
}

/** `toSentBetId` as an SQL expression over a column. */
export function sentBetIdSql(column: string): string {
  const rest = `strpos(reverse(${column}), '@')`
  return `case when length(${column}) > ${LIMITS.transactionId.maxLength} then left(${column}, -${rest}) else ${column} end`
}
