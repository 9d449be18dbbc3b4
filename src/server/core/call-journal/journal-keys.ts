/** What the calls of a chunk can be found by, as hashes: a chunk without the key has no such call, one that has it most likely does. */

/** A seed for each kind, so that a player and a bet of one name are two keys. */
const SEEDS = { player: 1, bet: 2, request: 3, operation: 4, outcome: 5, code: 6, platform: 7 } as const
export type JournalKeyKind = keyof typeof SEEDS

const BASIS = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a over the UTF-16 units, as the integer of Postgres. */
export function hashJournalKey(kind: JournalKeyKind, text: string): number {
  let key = Math.imul(BASIS ^ SEEDS[kind], PRIME)
  for (let i = 0; i < text.length; i++) key = Math.imul(key ^ text.charCodeAt(i), PRIME)
  return key | 0
}
