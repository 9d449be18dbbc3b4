/** What describes a bet and decides nothing (`purser.bet_details`), as it outlives the person (O-10). */

/** Without where the person was, and without free text. */
export function anonymizeBetDetails(details: string | null): string {
  const { ip: _ip, info: _info, ...rest } = JSON.parse(details ?? '{}') as Record<string, unknown>
  return JSON.stringify(rest)
}
