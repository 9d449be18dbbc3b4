/**
 * What stands in a player's row against bets, whatever the moment, the token and the money. Whoever has nothing of it is plain, which is
 * stored with the row (store/player.ts), so that the gate takes the bets of plain players without asking again (apply/gate.ts).
 */
import type { RuledPlayer } from '../store/player.ts'

/** A rule that looks at more of the player needs it here, in STANDING (store/player.ts), and a migration that forgets what was found. */
export type PlayerRestrictions = Pick<RuledPlayer, 'status' | 'verified' | 'limits'>

export function isUnrestricted(player: PlayerRestrictions): boolean {
  return !isBlocked(player) && !isUnverified(player) && !hasLimits(player)
}

export function isBlocked({ status }: Pick<PlayerRestrictions, 'status'>): boolean {
  return status === 'blocked'
}

/** Only an explicit `false` refuses bets. */
export function isUnverified({ verified }: Pick<PlayerRestrictions, 'verified'>): boolean {
  return verified === false
}

export function hasLimits({ limits }: Pick<PlayerRestrictions, 'limits'>): boolean {
  return Object.keys(limits).length > 0
}
