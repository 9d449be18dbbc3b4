/** What is different from run to run before anything goes wrong: when it begins, and who may bet how much. */
import type { Random } from '../../runtime/random.ts'

export interface Scene {
  /** Milliseconds since 1970. */
  readonly startsAt: number
  /** Some players have limits of a day (codes 11 to 13). */
  readonly hasLimits: boolean
}

/** As runs were before there were scenes: files of those name none. */
export const PLAIN_SCENE: Scene = { startsAt: Date.UTC(2026, 2, 1, 12), hasLimits: false }

/** Last days: of a month, of February, of a year, and one in the middle. */
const EVES = [Date.UTC(2026, 3, 1), Date.UTC(2026, 2, 1), Date.UTC(2027, 0, 1), Date.UTC(2026, 2, 18)] as const
const NOON_MS = 12 * 3_600_000

/** Most runs begin shortly before midnight, and cross it while things go wrong. */
export function drawScene(random: Random): Scene {
  const midnight = random.pick(EVES)
  const before = random.chance(0.3) ? NOON_MS : random.between(40_000, 120_000)
  return { startsAt: midnight - before, hasLimits: random.chance(0.7) }
}

/** Of a day: bets, and what is staked. */
export interface Limits {
  readonly betCount?: number
  readonly stake?: string
}

/** By the number of the player. */
export const LIMITS_OF: Readonly<Record<number, Limits>> = {
  2: { betCount: 4 },
  3: { stake: '70' },
}
