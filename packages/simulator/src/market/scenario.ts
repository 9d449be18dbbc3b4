/** The scenario of a run: its start and length, its parties, and their rules about money. */
import type { Random } from '@purser/runtime/seeded-random'

export interface Scenario {
  /** Milliseconds since 1970. */
  readonly startsAt: number
  /** Two operators have a wallet each, and the platform calls a gateway. */
  readonly operators: 1 | 2
  /** Some players have limits per day (codes 11 to 13). */
  readonly hasLimits: boolean
  /** A backup of the first wallet follows this audit, and is restored at the end. */
  readonly backup?: number
  readonly hasOtherSettings?: boolean
  /** Databases fail, and some deaths follow a COMMIT. */
  readonly hasFailures?: boolean
  /**
   * A multiple of the shortest run. Longer runs have the same actions and faults, with longer gaps.
   */
  readonly span?: number
  /** The number of audits during the faults. */
  readonly audits?: number
  /** The books are also audited after every step with an event. */
  readonly isWatched?: boolean
  /**
   * A backup of the first wallet is restored during the faults, and its missing data stays lost.
   */
  readonly isRestored?: boolean
  /** The rule for money that a result takes back (L-2); absent means `allow-negative`. */
  readonly clawback?: ClawbackPolicy
  /** The payer of stakes with a bonus (M-4). Absent, or `none`: no bet has a bonus. */
  readonly freebets?: 'none' | 'player' | 'promotions'
  readonly hasCurrencies?: boolean
  /** A second platform calls the wallet under its own name (W-43). */
  readonly hasOtherPlatform?: boolean
}

export type ClawbackPolicy = 'refuse' | 'allow-negative'

export interface MoneyRules {
  readonly clawback: ClawbackPolicy
  readonly freebetStake: 'player' | 'promotions'
}

export function toMoneyRules({ clawback = 'allow-negative', freebets = 'none' }: Partial<Scenario>): MoneyRules {
  return { clawback, freebetStake: freebets === 'promotions' ? 'promotions' : 'player' }
}

/**
 * From 40 seconds to six hours. In long runs retries reach their longest gaps, and processes are
 * idle.
 */
const SPANS = [1, 1, 1, 1, 5, 5, 30, 30, 30, 180] as const

export function readScenarioSpan({ span = 1 }: Scenario): number {
  return span
}

/** Most faults need few calls. Many short markets find more faults than a few long markets. */
const AUDITS = [1, 1, 1, 1, 2, 3] as const
const MAX_AUDITS = 3
const RESTORED = 0.25
/** The share of short markets. An audit after every step takes three times as long as the rest. */
const WATCHED = 0.15

export function countScenarioAudits({ audits = MAX_AUDITS }: Scenario): number {
  return audits
}

/** For old files, which contain no scenario. */
export const DEFAULT_SCENARIO: Scenario = { startsAt: Date.UTC(2026, 2, 1, 12), operators: 1, hasLimits: false }

/** The ends of a month, of February, of a year, and of an ordinary day. */
const EVES = [Date.UTC(2026, 3, 1), Date.UTC(2026, 2, 1), Date.UTC(2027, 0, 1), Date.UTC(2026, 2, 18)] as const
const NOON_MS = 12 * 3_600_000

/** Every second run has two operators. In most runs midnight passes during the faults. */
export function drawScenario(seed: number, random: Random): Scenario {
  const midnight = random.pick(EVES)
  const before = random.chance(0.3) ? NOON_MS : random.between(40_000, 120_000)
  const operators = seed % 2 === 0 ? 2 : 1
  const hasLimits = random.chance(0.7)
  const [backup, hasOtherSettings] = [random.between(1, MAX_AUDITS), random.chance(0.6)]
  const [hasFailures, span, audits] = [random.chance(0.5), random.pick(SPANS), random.pick(AUDITS)]
  const isWatched = random.chance(WATCHED) && audits === 1
  const isRestored = random.chance(RESTORED)
  const wrong = { hasOtherSettings, hasFailures, isRestored }
  const clawback = random.pick(['refuse', 'refuse', 'allow-negative'] as const)
  const freebets = random.pick(['none', 'player', 'promotions'] as const)
  const hasCurrencies = random.chance(0.4)
  const hasOtherPlatform = random.chance(0.6) && operators === 1 && !isRestored
  const money = { clawback, freebets, hasCurrencies, hasOtherPlatform }
  return { startsAt: midnight - before, operators, hasLimits, backup, ...wrong, span, audits, isWatched, ...money }
}

export interface PlayerDayLimits {
  readonly betCount?: number
  readonly stake?: string
}

export const LIMITS_BY_PLAYER: Readonly<Record<string, PlayerDayLimits>> = {
  'player-2': { betCount: 4 },
  'player-3': { stake: '70' },
}
