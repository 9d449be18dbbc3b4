/**
 * Keys of a journal segment: hashes of the players, bets and other names in its calls. A segment
 * without the key of a name has no call with this name; a segment with the key probably has such a
 * call.
 */

/** A seed for each kind, so that a player and a bet with the same name have different keys. */
const SEEDS = { player: 1, bet: 2, request: 3, operation: 4, outcome: 5, code: 6, platform: 7 } as const
export type JournalKeyKind = keyof typeof SEEDS

const BASIS = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a over the UTF-16 units, as a 32-bit integer of Postgres. */
export function hashJournalKey(kind: JournalKeyKind, text: string): number {
  let key = Math.imul(BASIS ^ SEEDS[kind], PRIME)
  for (let i = 0; i < text.length; i++) key = Math.imul(key ^ text.charCodeAt(i), PRIME)
  return key | 0
}
