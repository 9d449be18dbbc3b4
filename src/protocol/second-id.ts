/**
 * The id of a platform's bet whose own id was taken by another platform (W-43): `ID@NAME`, longer than any that a platform may send, so no two
 * bets meet under it. A name has no @ and no dot.
 */
import type { BetId } from './ids.ts'
import { LIMITS } from './limits.ts'

interface Named {
  readonly betId: BetId
  readonly platform: string
}

export function secondIdOf({ betId, platform }: Named): BetId {
  return `${betId}@${platform}`.padEnd(LIMITS.transactionId.maxLength + 1, '.') as BetId
}

/** The id that the platform sent. */
export function sentIdOf(betId: string): string {
  const isSecond = betId.length > LIMITS.transactionId.maxLength && betId.includes('@')
  return isSecond ? betId.slice(0, betId.lastIndexOf('@')) : betId
}

/** The name in such an id; none when it is of the platform without one. */
export function platformIn(secondId: string): string | undefined {
  return /@([^@.]+)\.*$/.exec(secondId)?.[1]
}

/** What `sentIdOf` does as SQL, of a column. */
export function sentIdSql(column: string): string {
  const rest = `strpos(reverse(${column}), '@')`
  return `case when length(${column}) > ${LIMITS.transactionId.maxLength} then left(${column}, -${rest}) else ${column} end`
}
