/**
 * What a run must have met by what was asked for in it: a market in which no bet is accepted, or no result is applied, breaks no rule and has proved
 * nothing. Each number is far below what any run in which all is right has met.
 */
import type { Scenario } from './scenario.ts'
import type { Trace } from './trace.ts'

type Marks = Trace['marks']

interface ExpectedMark {
  /** So many of these... */
  readonly of: string
  readonly atLeast: number
  /** ...and none of those is a complaint. */
  readonly mark: string
  readonly in?: (scenario: Scenario) => boolean
}

const ACCEPTED = 'a bet is accepted'
const TAKEN = 'a Place bet is taken'
const WITH_BONUS = 'a bet with a bonus is taken'

/**
 * Of what was `tried`, so many at least, one of eight must `succeed`. Refusals with a reason are judged by the auditor; a failure inside is always
 * possible, and so is a bet that its platform gives up.
 */
interface Share {
  readonly tried: (count: (mark: string) => number) => number
  readonly atLeast: number
  readonly succeed: string
  readonly label: string
}

const MIN_SHARE = 8

const SHARES: readonly Share[] = [
  {
    tried: (count) => count(TAKEN) + count('a Place bet fails inside'),
    ...{ atLeast: 8, succeed: TAKEN, label: 'Place bets came to a wallet that refused none of them' },
  },
  {
    tried: (count) => count(WITH_BONUS) + count('a Place bet with a bonus fails inside'),
    ...{ atLeast: 6, succeed: WITH_BONUS, label: 'Place bets with a bonus came to a wallet that refused none of them' },
  },
  {
    tried: (count) => count('the platform hears that a bet is taken'),
    ...{ atLeast: 8, succeed: ACCEPTED, label: 'bets were taken by their wallets' },
  },
  {
    tried: (count) => count('a player bets'),
    ...{ atLeast: 16, succeed: 'a Place bet is sent', label: 'bets were asked for' },
  },
]

const EXPECTED: readonly ExpectedMark[] = [
  { of: ACCEPTED, atLeast: 20, mark: 'a result is applied' },
  { of: 'a player switches currency', atLeast: 2, mark: 'a currency is switched' },
  { of: ACCEPTED, atLeast: 4, mark: 'a balance is asked for' },
  {
    ...{ of: ACCEPTED, atLeast: 1, mark: 'the books are audited behind a step' },
    in: ({ isWatched = false }) => isWatched,
  },
]

/** Complaints. */
export function findMissingMarks(scenario: Scenario, marks: Marks): string[] {
  const count = (mark: string) => marks.get(mark) ?? 0
  const belowShare = SHARES.flatMap(({ tried, atLeast, succeed, label }) => {
    const all = tried(count)
    return all < atLeast || count(succeed) * MIN_SHARE >= all
      ? []
      : [`${all} ${label}, and ${count(succeed)} × ${succeed}`]
  })
  const missing = EXPECTED.filter(
    ({ of, atLeast, mark, in: isIn }) => isIn?.(scenario) !== false && count(of) >= atLeast && count(mark) === 0,
  )
  return [...belowShare, ...missing.map(({ of, mark }) => `${count(of)} × ${of}, and never: ${mark}`)]
}
