/**
 * Simulated matches. `advance` returns the events of a step; the same seed gives the same events.
 *
 *   open ──odds move──► open ──ends──► over ──result──► (corrected | withdrawn, new) ──► closed
 *     └──withdrawn from trading──► over ──every bet refunded──► closed
 */
import type { Random } from '@purser/runtime/seeded-random'

export const STEPS_PER_SECOND = 10

export const MATCH_OUTCOMES = ['home', 'draw', 'away'] as const
export type MatchOutcome = (typeof MATCH_OUTCOMES)[number]
/** In hundredths: 210 is 2.10. */
export type MatchPrices = Readonly<Record<MatchOutcome, number>>

export interface SimulatedMatch {
  readonly id: string
  readonly home: string
  readonly away: string
  readonly prices: MatchPrices
  /** Prices before the last move; null before the first. */
  readonly earlier: MatchPrices | null
}

export type MatchEvent =
  | { readonly kind: 'opens' | 'odds' | 'withdrawn' | 'result withdrawn'; readonly match: SimulatedMatch }
  /**
   * `isLast` means that the match does not change any more. `again` is set if an earlier result was
   * wrong or withdrawn.
   */
  | {
      readonly kind: 'result'
      readonly match: SimulatedMatch
      readonly winner: MatchOutcome
      readonly again: 'corrected' | 'anew' | null
      readonly isLast: boolean
    }
  | { readonly kind: 'refunded'; readonly match: SimulatedMatch; readonly isLast: true }

export interface MatchFixtures {
  /** Matches that accept bets. */
  open(): readonly SimulatedMatch[]
  advance(): MatchEvent[]
}

const TEAMS =
  'Ajax Arsenal Benfica Betis Celtic Chelsea Porto Fulham Genoa Lazio Leeds Lille Lyon Milan Monaco Napoli Parma Rangers Roma Sevilla Torino Udinese Valencia Villarreal'.split(
    ' ',
  )
const MATCHES = 6
/** The next team is drawn from this number of teams that rested longest. */
const RESTED = 5
const seconds = (count: number) => count * STEPS_PER_SECOND

interface PlannedMatchEvent {
  readonly step: number
  readonly happening: (match: SimulatedMatch) => MatchEvent
}

interface RunningMatch {
  match: SimulatedMatch
  readonly endsAt: number
}

/** `prefix` keeps the ids of several runs on one database distinct. */
export function createMatchFixtures(random: Random, prefix: string): MatchFixtures {
  let step = 0
  let made = 0
  let running: RunningMatch[] = []
  const resting = [...TEAMS]
  const planned: { step: number; happening: MatchEvent }[] = []
  const start = (endsAt: number): MatchEvent => {
    made += 1
    const match = createMatch(random, `${prefix}-${made}`, resting)
    running.push({ match, endsAt })
    return { kind: 'opens', match }
  }
  const end = ({ match }: RunningMatch) => {
    resting.push(match.home, match.away)
    for (const plan of planMatchEnd(random, step)) planned.push({ step: plan.step, happening: plan.happening(match) })
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
      return [
        ...due.map(({ happening }) => happening),
        ...opened,
        ...running.flatMap((runningMatch) => moveOdds(random, runningMatch)),
      ]
    },
  }
}

/** Uses teams that rested long, because two matches of one pair look like the same match. */
function createMatch(random: Random, id: string, resting: string[]): SimulatedMatch {
  const [home, away] = [takeRestedTeam(random, resting), takeRestedTeam(random, resting)]
  const prices = { home: random.between(130, 400), draw: random.between(280, 420), away: random.between(130, 500) }
  return { id, home, away, prices, earlier: null }
}

function takeRestedTeam(random: Random, resting: string[]): string {
  return resting.splice(random.below(RESTED), 1)[0] as string
}

/** In one of 50 steps, by up to five per cent. */
function moveOdds(random: Random, runningMatch: RunningMatch): MatchEvent[] {
  if (!random.chance(0.02)) return []
  const move = (price: number) => Math.max(105, Math.floor((price * random.between(950, 1050)) / 1000))
  const { home, draw, away } = runningMatch.match.prices
  runningMatch.match = {
    ...runningMatch.match,
    earlier: runningMatch.match.prices,
    prices: { home: move(home), draw: move(draw), away: move(away) },
  }
  return [{ kind: 'odds', match: runningMatch.match }]
}

/** Plans the events after the end of a match, mostly one final result. */
function planMatchEnd(random: Random, step: number): PlannedMatchEvent[] {
  const winner = random.pick(MATCH_OUTCOMES)
  const other = random.pick(MATCH_OUTCOMES.filter((outcome) => outcome !== winner))
  const dice = random.below(100)
  const resultStep = step + 2
  if (dice < 10) return [planWithdrawal(step), planRefund(step + seconds(1))]
  if (dice < 28)
    return [
      planResult(resultStep, winner),
      planResult(resultStep + seconds(3), other, { again: 'corrected', isLast: true }),
    ]
  if (dice < 42) {
    const takenBack: PlannedMatchEvent = {
      step: resultStep + seconds(2),
      happening: (match) => ({ kind: 'result withdrawn', match }),
    }
    const final = random.chance(0.5) ? winner : other
    return [
      planResult(resultStep, winner),
      takenBack,
      planResult(resultStep + seconds(4), final, { again: 'anew', isLast: true }),
    ]
  }
  return [planResult(resultStep, winner, { again: null, isLast: true })]
}

function planWithdrawal(step: number): PlannedMatchEvent {
  return { step, happening: (match) => ({ kind: 'withdrawn', match }) }
}

function planRefund(step: number): PlannedMatchEvent {
  return { step, happening: (match) => ({ kind: 'refunded', match, isLast: true }) }
}

interface ResultFlags {
  readonly again: 'corrected' | 'anew' | null
  readonly isLast: boolean
}

function planResult(
  step: number,
  winner: MatchOutcome,
  weight: ResultFlags = { again: null, isLast: false },
): PlannedMatchEvent {
  return { step, happening: (match) => ({ kind: 'result', match, winner, ...weight }) }
}
