/** What is told on the screen: a line for a bet whenever its life goes on, a line for a match, and the counters. */
import type { Fault } from './faults.ts'
import type { Happening } from './fixtures.ts'
import type { Step, StepKind } from './life.ts'
import type { Colour, Screen } from './terminal.ts'
import type { Watched } from './watch.ts'
import { describePicks, nameOf } from './wishes.ts'

export interface Story {
  bet(bet: Watched, fresh: readonly Step[]): void
  match(happening: Happening): void
  note(text: string): void
  /** The counters in one line. */
  counters(faults: ReadonlyMap<Fault, number>): string
}

export interface StoryOptions {
  readonly screen: Screen
  /** Nothing but notes. */
  readonly quiet: boolean
}

const COLOURS: Readonly<Partial<Record<StepKind, Colour>>> = {
  won: 'green',
  refunded: 'cyan',
  'cashed out': 'cyan',
  lost: 'dim',
  declined: 'yellow',
  'rolled back': 'yellow',
  unknown: 'red',
  corrected: 'bold',
  'result withdrawn': 'bold',
  'result refused': 'red',
  stuck: 'red',
}
const ID_LENGTH = 6
const STAKE_WIDTH = 15
const PICKS_WIDTH = 40

export function createStory({ screen, quiet }: StoryOptions): Story {
  const counts = new Map<StepKind | 'bets', number>()
  const count = (name: StepKind | 'bets') => counts.set(name, (counts.get(name) ?? 0) + 1)
  const line = (text: string) => {
    if (!quiet) screen.line(`${screen.paint('dim', clock())}  ${text}`)
  }
  return {
    bet(bet, fresh) {
      if (bet.steps.length === fresh.length) count('bets')
      for (const { kind } of fresh) count(kind)
      line(betLine(screen, bet, fresh.length))
    },
    match(happening) {
      const text = describe(happening)
      if (text !== undefined) line(screen.paint('dim', `${' '.repeat(ID_LENGTH)}  · ${text}`))
    },
    note: (text) => screen.line(text),
    counters: (faults) => counterLine((name) => counts.get(name) ?? 0, faults),
  }
}

function clock(): string {
  return new Date().toISOString().slice(11, 19)
}

/** The whole life so far; what is new is painted. */
function betLine(screen: Screen, { betId, wish, steps }: Watched, fresh: number): string {
  const { bettor, stake, picks } = wish
  const life = steps.map(({ kind, text }, i) => {
    const colour = i < steps.length - fresh ? 'dim' : COLOURS[kind]
    return colour === undefined ? text : screen.paint(colour, text)
  })
  const money = `${stake} ${bettor.currency}`.padStart(STAKE_WIDTH)
  const what = [betId.slice(0, ID_LENGTH), bettor.userId.padEnd(4), money, cut(describePicks(picks))]
  return `${what.join('  ')} → ${life.join(' → ')}`
}

function cut(text: string): string {
  return text.length > PICKS_WIDTH ? `${text.slice(0, PICKS_WIDTH - 1)}…` : text.padEnd(PICKS_WIDTH)
}

/** Odds move too often to be told. */
function describe(happening: Happening): string | undefined {
  const { match } = happening
  const name = `${match.home}–${match.away}`
  switch (happening.kind) {
    case 'odds':
      return undefined
    case 'opens':
      return `${name} can be bet on`
    case 'withdrawn':
      return `${name} is withdrawn from trading`
    case 'refunded':
      return `${name} will not be played: every bet on it is void`
    case 'result withdrawn':
      return `${name}: the result is taken back`
    case 'result': {
      const winner = happening.winner === 'draw' ? 'a draw' : `${nameOf({ match, outcome: happening.winner })} won`
      if (happening.again === null) return `${name} is over: ${winner}`
      return happening.again === 'corrected'
        ? `${name}: the result was wrong, ${winner}`
        : `${name}: again a result, ${winner}`
    }
    default:
      return happening satisfies never
  }
}

const PLACED = ['accepted', 'declined', 'rolled back'] as const
const RESULTS = ['won', 'lost', 'refunded', 'cashed out', 'corrected'] as const
const RARE = ['result withdrawn', 'result refused', 'stuck'] as const

function counterLine(count: (name: StepKind | 'bets') => number, faults: ReadonlyMap<Fault, number>): string {
  const list = (names: readonly StepKind[]) => names.map((name) => `${count(name)} ${name}`).join(', ')
  const broken = [...faults.values()].reduce((sum, one) => sum + one, 0)
  const results = list([...RESULTS, ...RARE.filter((name) => count(name) > 0)])
  return `${count('bets')} bets: ${list(PLACED)} | ${results} | ${broken} faults`
}
