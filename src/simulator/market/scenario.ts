/** What is different from run to run before anything goes wrong: when it begins, and who may bet how much. */
import type { Random } from '../../runtime/seeded-random.ts'

export interface Scenario {
  /** Milliseconds since 1970. */
  readonly startsAt: number
  /** Two: behind a gateway, each with a wallet of its own. */
  readonly operators: 1 | 2
  /** Some players have limits of a day (codes 11 to 13). */
  readonly hasLimits: boolean
  /** A backup of the first wallet is made then, and put back when all is over: so many looks at the books have passed. */
  readonly backup?: number
  /** A process that died may begin with other settings. */
  readonly hasOtherSettings?: boolean
  /** Databases fail now and then, and processes die behind a COMMIT on purpose. */
  readonly hasFailures?: boolean
  /** So many times as long as the shortest: the same deeds and disasters lie further apart. */
  readonly span?: number
  /** How often the books are looked at while things go wrong; fewer: it is over sooner. */
  readonly looks?: number
  /** The books are audited after every step in which something has happened, and not only then. */
  readonly isWatched?: boolean
  /** A backup of the first wallet is put back while things go wrong; what it has lost then stays lost. */
  readonly isRestored?: boolean
  /** Of the wallets (L-2); absent: `allow-negative`. */
  readonly clawback?: ClawbackPolicy
  /** Some bets have a bonus, and who pays their stakes (M-4); absent: none has. */
  readonly freebets?: 'none' | 'player' | 'promotions'
  /** Players have a second currency, and switch now and then. */
  readonly hasCurrencies?: boolean
  /** Another platform calls the wallet too, under a name of its own (W-43). */
  readonly hasOtherPlatform?: boolean
}

export type ClawbackPolicy = 'refuse' | 'allow-negative'

/** What the wallets of a scene do with the money that a choice of theirs is about. */
export interface MoneyRules {
  readonly clawback: ClawbackPolicy
  readonly freebetStake: 'player' | 'promotions'
}

export function toMoneyRules({ clawback = 'allow-negative', freebets = 'none' }: Partial<Scenario>): MoneyRules {
  return { clawback, freebetStake: freebets === 'promotions' ? 'promotions' : 'player' }
}

/** From 40 seconds to six hours: in long ones retries come to their longest gaps, and processes have nothing to do. */
const SPANS = [1, 1, 1, 1, 5, 5, 30, 30, 30, 180] as const

export function readScenarioSpan({ span = 1 }: Scenario): number {
  return span
}

/** Most faults need no more than a few calls, so many short markets meet more of them than a few long ones. */
const LOOKS = [1, 1, 1, 1, 2, 3] as const
const MAX_LOOKS = 3
const RESTORED = 0.25
/** Of short markets: auditing after every step takes three times as long as all that happens. */
const WATCHED = 0.15

export function readScenarioLooks({ looks = MAX_LOOKS }: Scenario): number {
  return looks
}

/** As runs were before there were scenes: files of those name none. */
export const DEFAULT_SCENARIO: Scenario = { startsAt: Date.UTC(2026, 2, 1, 12), operators: 1, hasLimits: false }

/** Last days: of a month, of February, of a year, and one in the middle. */
const EVES = [Date.UTC(2026, 3, 1), Date.UTC(2026, 2, 1), Date.UTC(2027, 0, 1), Date.UTC(2026, 2, 18)] as const
const NOON_MS = 12 * 3_600_000

/** Every second run has two operators. Most begin shortly before midnight, and cross it while things go wrong. */
export function drawScenario(seed: number, random: Random): Scenario {
  const midnight = random.pick(EVES)
  const before = random.chance(0.3) ? NOON_MS : random.between(40_000, 120_000)
  const operators = seed % 2 === 0 ? 2 : 1
  const hasLimits = random.chance(0.7)
  const [backup, hasOtherSettings] = [random.between(1, MAX_LOOKS), random.chance(0.6)]
  const [hasFailures, span, looks] = [random.chance(0.5), random.pick(SPANS), random.pick(LOOKS)]
  const isWatched = random.chance(WATCHED) && looks === 1
  const isRestored = random.chance(RESTORED)
  const wrong = { hasOtherSettings, hasFailures, isRestored }
  const clawback = random.pick(['refuse', 'refuse', 'allow-negative'] as const)
  const freebets = random.pick(['none', 'player', 'promotions'] as const)
  const hasCurrencies = random.chance(0.4)
  const hasOtherPlatform = random.chance(0.6) && operators === 1 && !isRestored
  const money = { clawback, freebets, hasCurrencies, hasOtherPlatform }
  return { startsAt: midnight - before, operators, hasLimits, backup, ...wrong, span, looks, isWatched, ...money }
}

/** Of a day: bets, and what is staked. */
export interface PlayerDayLimits {
  readonly betCount?: number
  readonly stake?: string
}

/** Of the first operator's players, by their names. */
export const LIMITS_BY_PLAYER: Readonly<Record<string, PlayerDayLimits>> = {
  'player-2': { betCount: 4 },
  'player-3': { stake: '70' },
}
