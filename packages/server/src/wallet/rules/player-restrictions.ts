/**
 * Restrictions in a player's row that do not depend on time, token or money.
 *
 * The row of a player without such restrictions is marked (store/player.ts), so the fast path skips
 * these checks.
 */
import type { RuledPlayer } from '../store/player.ts'

/**
 * A new restriction must be added here, in RESTRICTIONS_TEXT (store/player.ts), and in a migration
 * that clears `unrestricted_as`.
 */
export type PlayerRestrictions = Pick<RuledPlayer, 'status' | 'verified' | 'limits'>

export function isUnrestricted(player: PlayerRestrictions): boolean {
  return !isBlocked(player) && !isUnverified(player) && !hasLimits(player)
}

export function isBlocked({ status }: Pick<PlayerRestrictions, 'status'>): boolean {
  return status === 'blocked'
}

/** Only an explicit `false` refuses bets (W-4). */
export function isUnverified({ verified }: Pick<PlayerRestrictions, 'verified'>): boolean {
  return verified === false
}

export function hasLimits({ limits }: Pick<PlayerRestrictions, 'limits'>): boolean {
  return Object.keys(limits).length > 0
}
