/** What is told on the screen: a line for a bet whenever its life goes on, a line for a match, and the counters. */
import { printableLine } from '../runtime/printable.ts'
import { wrapped } from '../runtime/wrapped.ts'
import type { TellByHand } from './by-hand.ts'
import type { Fault } from './faults.ts'
import type { Happening } from './fixtures.ts'
import { NAME_LENGTH, nameOfBet, type Step, type StepKind } from './life.ts'
import type { Counted } from './tally.ts'
import type { Colour, Screen } from './terminal.ts'
import type { Watched } from './watch.ts'
import { describePicks, nameOf } from './wishes.ts'

export interface Story {
  bet(bet: Watched, fresh: readonly Step[]): void
  match(happening: Happening): void
  /** Of bets that are not told one by one. */
  count(name: Counted): void
  countOf(name: Counted): number
  /** A bet that somebody sent to the wallet by hand; also where bets are not told. */
  byHand: TellByHand
  note(text: string): void
  /** The counters in one line. */
  counter(faults: ReadonlyMap<Fault, number>): string
  /** What it came to, in the end. */
  sums(faults: ReadonlyMap<Fault, number>): string[]
}

export interface StoryOptions {
  readonly screen: Screen
  /** No lines of bets and matches. */
  readonly quiet: boolean
}

const COLOURS: Readonly<Partial<Record<StepKind, Colour>>> = {
  won: 'green',
  void: 'cyan',
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
const PLAYER_WIDTH = 5
const STAKE_WIDTH = 11
/** Characters of a bet's selections: as many where there is room, fewer for the sake of its life. */
const PICKS_WIDTH = { most: 26, least: 6 }
const ARROW = ' → '
/** In the place of the selections: the wallet does not show them in its lists. */
const BY_HAND = '◀ yours'

export function createStory({ screen, quiet }: StoryOptions): Story {
  const counts = new Map<Counted, number>()
  const count = (name: Counted) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const line = (text: string) => {
    if (!quiet) screen.line(text)
  }
  const countOf = (name: Counted) => counts.get(name) ?? 0
  return {
    ...{ count, countOf },
    bet({ betId, wish, steps }, fresh) {
      if (steps.length === fresh.length) count('bets')
      for (const { kind } of fresh) count(kind)
      const { bettor, stake, picks } = wish
      const money = `${stake} ${bettor.currency}`
      line(betLine(screen, { betId, player: bettor.userId, money, what: describePicks(picks), steps }, fresh.length))
    },
    byHand({ betId, player, stake, calls, fresh }) {
      const steps = calls.map((text): Step => ({ kind: 'corrected', text }))
      screen.line(betLine(screen, { betId, player, money: stake, what: BY_HAND, steps }, fresh))
    },
    match(happening) {
      const text = describe(happening)
      if (text !== undefined) line(screen.paint('dim', `${clock()} ${' '.repeat(NAME_LENGTH)} · ${text}`))
    },
    note: (text) => wrapped(printableLine(text)).forEach((part) => void screen.line(part)),
    counter: (faults) => counterLine(countOf, faults),
    sums: (faults) => sumLines(countOf, faults),
  }
}

function clock(): string {
  return new Date().toISOString().slice(11, 19)
}

interface BetLine {
  readonly betId: string
  readonly player: string
  readonly money: string
  readonly what: string
  readonly steps: readonly Step[]
}

/** The whole life so far, as much of it as there is room for; what is new is painted. */
function betLine(screen: Screen, { betId, player, money, what, steps }: BetLine, fresh: number): string {
  const names = [nameOfBet(betId), player.slice(0, 12).padEnd(PLAYER_WIDTH), money.padStart(STAKE_WIDTH)]
  const who = printableLine(names.join(' '))
  const room = screen.width() - `${clock()} ${who} ${ARROW}`.length
  const shown = lastThatFit(steps, room - PICKS_WIDTH.least)
  const life = shown.map(({ text }) => text).join(ARROW)
  const picks = cut(printableLine(what), Math.max(PICKS_WIDTH.least, Math.min(PICKS_WIDTH.most, room - life.length)))
  const painted = shown.map((step, i) => painting(screen, step, i >= shown.length - fresh)).join(ARROW)
  return `${screen.paint('dim', clock())} ${who} ${picks}${ARROW}${painted}`
}

const EARLIER: Step = { kind: 'lost', text: '…' }

/** All of them, or as many of the last ones as there is room for, at least one. */
function lastThatFit(steps: readonly Step[], room: number): readonly Step[] {
  const lengthOf = (some: readonly Step[]) => some.map(({ text }) => text).join(ARROW).length
  const choices = steps.map((_, left) => (left === 0 ? steps : [EARLIER, ...steps.slice(left)]))
  return choices.find((some) => lengthOf(some) <= room) ?? choices.at(-1) ?? steps
}

function painting(screen: Screen, { kind, ...step }: Step, isFresh: boolean): string {
  const text = printableLine(step.text)
  const colour = isFresh ? COLOURS[kind] : 'dim'
  return colour === undefined ? text : screen.paint(colour, text)
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)
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
const RESULTS = ['won', 'lost', 'void', 'cashed out', 'corrected'] as const
const RARE = ['result withdrawn', 'result refused', 'stuck'] as const

type CountOf = (name: Counted) => number

function sumOf(faults: ReadonlyMap<Fault, number>): number {
  return [...faults.values()].reduce((sum, one) => sum + one, 0)
}

function counterLine(countOf: CountOf, faults: ReadonlyMap<Fault, number>): string {
  const results = RESULTS.reduce((sum, name) => sum + countOf(name), 0)
  const placed = PLACED.map((name) => `${countOf(name)} ${name}`).join(', ')
  return `${countOf('bets')} bets: ${placed} | ${results} results | ${sumOf(faults)} faults`
}

function sumLines(countOf: CountOf, faults: ReadonlyMap<Fault, number>): string[] {
  const list = (names: readonly StepKind[]) => names.map((name) => `${countOf(name)} ${name}`).join(', ')
  const broken = [...faults].map(([fault, count]) => `${count} ${fault}`)
  return [
    `${countOf('bets')} bets: ${list(PLACED)}`,
    `results: ${list([...RESULTS, ...RARE.filter((name) => countOf(name) > 0)])}`,
    ...(broken.length > 0 ? [`what went wrong between platform and wallet: ${broken.join(', ')}`] : []),
  ].flatMap(wrapped)
}
