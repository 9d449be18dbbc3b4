/**
 * The part of a bet's description (`purser.bet_details`) that remains after the player's erasure
 * (O-10).
 */

/** Removes the address and the free text. */
export function anonymizeBetDetails(details: string | null): string {
  const { ip: _ip, info: _info, ...rest } = JSON.parse(details ?? '{}') as Record<string, unknown>
  return JSON.stringify(rest)
}
