/**
 * The least number of successes that a run must have. The number depends on how often the simulated
 * users tried.
 *
 * A run in which no bet is accepted breaks no rule and proves nothing. Good runs exceed each number
 * by far.
 */
import type { Scenario } from './scenario.ts'
import type { Trace } from './trace.ts'

type Marks = Trace['marks']

interface ExpectedMark {
  /** After `atLeast` occurrences of this mark … */
  readonly of: string
  readonly atLeast: number
  /** … a run without this mark is a complaint. */
  readonly mark: string
  readonly in?: (scenario: Scenario) => boolean
}

const ACCEPTED = 'a bet is accepted'
const TAKEN = 'a Place bet is taken'
const WITH_BONUS = 'a bet with a bonus is taken'

/**
 * From `atLeast` tries on, one of eight must succeed.
 *
 * Failures of the wallet itself and cancelled bets are always possible, so no other check
 * limits them.
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

/** Returns complaints. */
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
