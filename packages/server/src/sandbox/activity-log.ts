/**
 * Lines that the sandbox prints: one for each change of a bet or match, and one with the counters.
 */
import { printableLine } from '@purser/runtime/text/printable-text'
import { wrapForTerminal } from '@purser/runtime/text/text-wrapping'
import { type BetStep, type BetStepKind, SHORT_ID_LENGTH, toShortBetId } from './bettors/bet-steps.ts'
import type { WatchedBet } from './bettors/bet-watch.ts'
import { describePicks, formatOutcomeName } from './bettors/bettor-behaviour.ts'
import type { CountName } from './bettors/change-tally.ts'
import type { ManualBetListener } from './bettors/manual-bets.ts'
import type { MatchEvent } from './bettors/match-fixtures.ts'
import type { Screen, ScreenColour } from './screen.ts'
import type { InjectedFault } from './wire/fault-proxy.ts'

export interface ActivityLog {
  bet(bet: WatchedBet, fresh: readonly BetStep[]): void
  match(happening: MatchEvent): void
  /** For bets without lines of their own. */
  count(name: CountName): void
  countOf(name: CountName): number
  /** Shows a bet that a user sent to the wallet by hand, even if other bets have no lines. */
  byHand: ManualBetListener
  note(text: string): void
  /** The counters in one line. */
  counter(faults: ReadonlyMap<InjectedFault, number>): string
  /** Totals at the end. */
  totals(faults: ReadonlyMap<InjectedFault, number>): string[]
}

export interface ActivityLogOptions {
  readonly screen: Screen
  /** True means no lines for bets and matches. */
  readonly quiet: boolean
}

const COLOURS: Readonly<Partial<Record<BetStepKind, ScreenColour>>> = {
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
/** Characters for the selections of a bet; the steps of the bet have priority. */
const PICKS_WIDTH = { most: 26, least: 6 }
const ARROW = ' → '
/** Replaces the selections, which the wallet's lists do not have. */
const BY_HAND = '◀ yours'

export function createActivityLog({ screen, quiet }: ActivityLogOptions): ActivityLog {
  const counts = new Map<CountName, number>()
  const count = (name: CountName) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const line = (text: string) => {
    if (!quiet) screen.line(text)
  }
  const countOf = (name: CountName) => counts.get(name) ?? 0
  return {
    ...{ count, countOf },
    bet({ betId, choice, steps }, fresh) {
      if (steps.length === fresh.length) count('bets')
      for (const { kind } of fresh) count(kind)
      const { bettor, stake, picks } = choice
      const money = `${stake} ${bettor.currency}`
      line(
        formatBetLine(screen, { betId, player: bettor.userId, money, what: describePicks(picks), steps }, fresh.length),
      )
    },
    byHand({ betId, player, stake, calls, fresh }) {
      const steps = calls.map((text): BetStep => ({ kind: 'corrected', text }))
      screen.line(formatBetLine(screen, { betId, player, money: stake, what: BY_HAND, steps }, fresh))
    },
    match(happening) {
      const text = describeMatchEvent(happening)
      if (text !== undefined) line(screen.paint('dim', `${formatClock()} ${' '.repeat(SHORT_ID_LENGTH)} · ${text}`))
    },
    note: (text) => wrapForTerminal(printableLine(text)).forEach((part) => void screen.line(part)),
    counter: (faults) => formatCounterLine(countOf, faults),
    totals: (faults) => formatTotalLines(countOf, faults),
  }
}

function formatClock(): string {
  return new Date().toISOString().slice(11, 19)
}

interface BetLine {
  readonly betId: string
  readonly player: string
  readonly money: string
  readonly what: string
  readonly steps: readonly BetStep[]
}

/** Shows as many steps as fit; new steps have a colour. */
function formatBetLine(screen: Screen, { betId, player, money, what, steps }: BetLine, fresh: number): string {
  const names = [toShortBetId(betId), player.slice(0, 12).padEnd(PLAYER_WIDTH), money.padStart(STAKE_WIDTH)]
  const who = printableLine(names.join(' '))
  const room = screen.width() - `${formatClock()} ${who} ${ARROW}`.length
  const shown = takeLastThatFit(steps, room - PICKS_WIDTH.least)
  const life = shown.map(({ text }) => text).join(ARROW)
  const picks = fitWidth(
    printableLine(what),
    Math.max(PICKS_WIDTH.least, Math.min(PICKS_WIDTH.most, room - life.length)),
  )
  const painted = shown.map((step, i) => paintStep(screen, step, i >= shown.length - fresh)).join(ARROW)
  return `${screen.paint('dim', formatClock())} ${who} ${picks}${ARROW}${painted}`
}

const EARLIER: BetStep = { kind: 'lost', text: '…' }

/** All steps, or the last ones that fit, at least one. */
function takeLastThatFit(steps: readonly BetStep[], room: number): readonly BetStep[] {
  const lengthOf = (some: readonly BetStep[]) => some.map(({ text }) => text).join(ARROW).length
  const choices = steps.map((_, left) => (left === 0 ? steps : [EARLIER, ...steps.slice(left)]))
  return choices.find((some) => lengthOf(some) <= room) ?? choices.at(-1) ?? steps
}

function paintStep(screen: Screen, { kind, ...step }: BetStep, isFresh: boolean): string {
  const text = printableLine(step.text)
  const colour = isFresh ? COLOURS[kind] : 'dim'
  return colour === undefined ? text : screen.paint(colour, text)
}

function fitWidth(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)
}

/** Odds move too often for lines. */
function describeMatchEvent(happening: MatchEvent): string | undefined {
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
      return `${name} is cancelled: every bet on it is void`
    case 'result withdrawn':
      return `${name}: the result is withdrawn`
    case 'result': {
      const winner =
        happening.winner === 'draw' ? 'a draw' : `${formatOutcomeName({ match, outcome: happening.winner })} won`
      if (happening.again === null) return `${name} is over: ${winner}`
      return happening.again === 'corrected'
        ? `${name}: the result was wrong, ${winner}`
        : `${name}: a new result, ${winner}`
    }
    default:
      return happening satisfies never
  }
}

const PLACED = ['accepted', 'declined', 'rolled back'] as const
const RESULTS = ['won', 'lost', 'void', 'cashed out', 'corrected'] as const
const RARE = ['result withdrawn', 'result refused', 'stuck'] as const

type CountOf = (name: CountName) => number

function sumFaults(faults: ReadonlyMap<InjectedFault, number>): number {
  return [...faults.values()].reduce((sum, one) => sum + one, 0)
}

function formatCounterLine(countOf: CountOf, faults: ReadonlyMap<InjectedFault, number>): string {
  const results = RESULTS.reduce((sum, name) => sum + countOf(name), 0)
  const placed = PLACED.map((name) => `${countOf(name)} ${name}`).join(', ')
  return `${countOf('bets')} bets: ${placed} | ${results} results | ${sumFaults(faults)} faults`
}

function formatTotalLines(countOf: CountOf, faults: ReadonlyMap<InjectedFault, number>): string[] {
  const list = (names: readonly BetStepKind[]) => names.map((name) => `${countOf(name)} ${name}`).join(', ')
  const broken = [...faults].map(([fault, count]) => `${count} ${fault}`)
  return [
    `${countOf('bets')} bets: ${list(PLACED)}`,
    `results: ${list([...RESULTS, ...RARE.filter((name) => countOf(name) > 0)])}`,
    ...(broken.length > 0 ? [`faults between platform and wallet: ${broken.join(', ')}`] : []),
  ].flatMap(wrapForTerminal)
}
