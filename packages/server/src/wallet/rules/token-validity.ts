/** Checks a token, with reply code 3 or 4 if it is not valid (P-1, L-4). */
import type { PlayerId } from '@purser/protocol/wire-ids'
import type { Session } from '../store/session.ts'

/** A live session belongs to the player, has not ended and has not expired. */
export function checkToken(
  session: Session | undefined,
  player: PlayerId,
  now: Date,
): 'live' | 'invalid_token' | 'expired_token' {
  if (session === undefined || session.player !== player) return 'invalid_token'
  return session.endedAt === null && session.expiresAt > now ? 'live' : 'expired_token'
}
