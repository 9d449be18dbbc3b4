/**
 * The matches that are bet on. Pure: `advance` says what happens in one step of time, and the same seed says the same.
 *
 *   open ──odds move──► open ──ends──► over ──result──► (corrected | taken back, then a new one) ──► closed
 *     └──withdrawn from trading──► over ──every bet refunded──► closed
 */
import type { Random } from '../runtime/random.ts'

/** Steps of time in a second. */
export const STEPS_PER_SECOND = 10

export const OUTCOMES = ['home', 'draw', 'away'] as const
export type Outcome = (typeof OUTCOMES)[number]
/** In hundredths: 210 is 2.10. */
export type Prices = Readonly<Record<Outcome, number>>

export interface Match {
  readonly id: string
  readonly home: string
  readonly away: string
  readonly prices: Prices
  /** Before they moved last. */
  readonly earlier: Prices | null
}

export type Happening =
  | { readonly kind: 'opens' | 'odds' | 'withdrawn' | 'result withdrawn'; readonly match: Match }
  /** `isLast`: nothing will change any more. `again`: not the first one, which was wrong, or had been withdrawn. */
  | {
      readonly kind: 'result'
      readonly match: Match
      readonly winner: Outcome
      readonly again: 'corrected' | 'anew' | null
      readonly isLast: boolean
    }
  | { readonly kind: 'refunded'; readonly match: Match; readonly isLast: true }

export interface Fixtures {
  /** Those that can be bet on. */
  open(): readonly Match[]
  /** What happens in the next step. */
  advance(): Happening[]
}

const TEAMS =
  'Ajax Arsenal Benfica Betis Celtic Chelsea Porto Fulham Genoa Lazio Leeds Lille Lyon Milan Monaco Napoli Parma Rangers Roma Sevilla Torino Udinese Valencia Villarreal'.split(
    ' ',
  )
const MATCHES = 6
/** Of the resting teams, so many may be next. */
const RESTED = 5
const seconds = (count: number) => count * STEPS_PER_SECOND

interface Planned {
  readonly step: number
  readonly happening: (match: Match) => Happening
}

interface Running {
  match: Match
  readonly endsAt: number
}

/** `prefix` keeps the ids of several runs on one database apart. */
export function createFixtures(random: Random, prefix: string): Fixtures {
  let step = 0
  let made = 0
  let running: Running[] = []
  const resting = [...TEAMS]
  const planned: { step: number; happening: Happening }[] = []
  const start = (endsAt: number): Happening => {
    made += 1
    const match = newMatch(random, `${prefix}-${made}`, resting)
    running.push({ match, endsAt })
    return { kind: 'opens', match }
  }
  const end = ({ match }: Running) => {
    resting.push(match.home, match.away)
    for (const plan of fateOf(random, step)) planned.push({ step: plan.step, happening: plan.happening(match) })
  }
  return {
    open: () => running.map(({ match }) => match),
    advance() {
      step += 1
      if (made === 0) return Array.from({ length: MATCHES }, (_, i) => start(seconds(3 + 2 * i)))
      const over = running.filter(({ endsAt }) => endsAt <= step)
      running = running.filter(({ endsAt }) => endsAt > step)
      over.forEach(end)
      const due = planned.filter((plan) => plan.step <= step)
      planned.splice(0, planned.length, ...planned.filter((plan) => plan.step > step))
      const opened = over.map(() => start(step + random.between(seconds(9), seconds(16))))
      return [...due.map(({ happening }) => happening), ...opened, ...running.flatMap((one) => moveOdds(random, one))]
    },
  }
}

/** Teams that have rested longest play: two matches of the same pair would be taken for one. */
function newMatch(random: Random, id: string, resting: string[]): Match {
  const [home, away] = [takeOne(random, resting), takeOne(random, resting)]
  const prices = { home: random.between(130, 400), draw: random.between(280, 420), away: random.between(130, 500) }
  return { id, home, away, prices, earlier: null }
}

function takeOne(random: Random, resting: string[]): string {
  return resting.splice(random.below(RESTED), 1)[0] as string
}

/** One in 50 steps; up to five per cent up or down. */
function moveOdds(random: Random, one: Running): Happening[] {
  if (!random.chance(0.02)) return []
  const move = (price: number) => Math.max(105, Math.floor((price * random.between(950, 1050)) / 1000))
  const { home, draw, away } = one.match.prices
  one.match = {
    ...one.match,
    earlier: one.match.prices,
    prices: { home: move(home), draw: move(draw), away: move(away) },
  }
  return [{ kind: 'odds', match: one.match }]
}

/** What becomes of a match that is over: mostly a result that stands. */
function fateOf(random: Random, step: number): Planned[] {
  const winner = random.pick(OUTCOMES)
  const other = random.pick(OUTCOMES.filter((outcome) => outcome !== winner))
  const dice = random.below(100)
  const soon = step + 2
  if (dice < 10) return [withdrawn(step), refunded(step + seconds(1))]
  if (dice < 28) return [result(soon, winner), result(soon + seconds(3), other, { again: 'corrected', isLast: true })]
  if (dice < 42) {
    const takenBack: Planned = { step: soon + seconds(2), happening: (match) => ({ kind: 'result withdrawn', match }) }
    const final = random.chance(0.5) ? winner : other
    return [result(soon, winner), takenBack, result(soon + seconds(4), final, { again: 'anew', isLast: true })]
  }
  return [result(soon, winner, { again: null, isLast: true })]
}

function withdrawn(step: number): Planned {
  return { step, happening: (match) => ({ kind: 'withdrawn', match }) }
}

function refunded(step: number): Planned {
  return { step, happening: (match) => ({ kind: 'refunded', match, isLast: true }) }
}

interface Weight {
  readonly again: 'corrected' | 'anew' | null
  readonly isLast: boolean
}

function result(step: number, winner: Outcome, weight: Weight = { again: null, isLast: false }): Planned {
  return { step, happening: (match) => ({ kind: 'result', match, winner, ...weight }) }
}
