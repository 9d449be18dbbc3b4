/**
 * Table of the sandbox's counters, which replaces the lines of single bets if there are too many to
 * read.
 */
import type { CountName } from './bettors/change-tally.ts'

export const MIN_TABLE_RATE = 5
export const ROW_SECONDS = 5
const ROWS_PER_HEAD = 20

const COLUMNS = [
  ...['accepted', 'declined', 'rolled back', 'won', 'lost', 'void', 'cashed out', 'corrected'],
] as const satisfies readonly CountName[]
const TITLES: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  accepted: 'accept',
  declined: 'decline',
  'rolled back': 'rolled',
  won: 'won',
  lost: 'lost',
  void: 'void',
  'cashed out': 'cashout',
  corrected: 'correct',
}
const WIDTH = 8
const RATE_WIDTH = 7

export interface RateTable {
  /** Returns the lines of a finished row; none before its time is over, or before the first bet. */
  row(countOf: (name: CountName) => number, now: number): string[]
}

/** The rate is the measured one, not the requested one. `now` is in milliseconds. */
export function createRateTable(): RateTable {
  let since = Number.NaN
  let rows = 0
  let last = new Map<CountName, number>()
  return {
    row(countOf, now) {
      if (Number.isNaN(since) || countOf('bets') === 0) since = now
      const seconds = (now - since) / 1000
      if (seconds < ROW_SECONDS) return []
      const counts = new Map([...COLUMNS, 'bets' as const].map((name): [CountName, number] => [name, countOf(name)]))
      const fresh = (name: CountName) => (counts.get(name) ?? 0) - (last.get(name) ?? 0)
      const perSecond = String(Math.floor((fresh('bets') * 10) / seconds) / 10).padStart(RATE_WIDTH)
      const cells = COLUMNS.map((name) => String(fresh(name)).padStart(WIDTH))
      const text = `${new Date(now).toISOString().slice(11, 19)}${perSecond}${cells.join('')}`
      last = counts
      since = now
      return rows++ % ROWS_PER_HEAD === 0 ? [HEAD, text] : [text]
    },
  }
}

const HEAD = `${'time'.padEnd(8)}${'bets/s'.padStart(RATE_WIDTH)}${COLUMNS.map((name) => TITLES[name].padStart(WIDTH)).join('')}`
