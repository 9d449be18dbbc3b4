/**
 * When a call must be taken: codes 7 and 21 are right only where the money may not have been there (R-6, L-2). For each call under way that needs some
 * it is kept how little its player may have had since it came: what the operator has moved by hand, and the least that each other bet may have brought.
 */
import { moved, movedBy } from './bet-life.ts'
import { centsOf } from './cents.ts'
import type { UnderWay, Watched, WatchedBets } from './possible.ts'

export interface Purses {
  /** The least that was moved by hand so far. Until it is said, nothing is known of this player in this currency. */
  cash(player: string, least: bigint, currency?: string): void
  /** A call about this player has come. */
  look(player: string, currency: string): void
  /** Of a call that is refused for want of money now: the least that was there without its bet, where that is enough. */
  enoughFor(bet: Watched, betId: string, call: UnderWay): bigint | undefined
  /** An older backup was put back: from here on nothing is known. */
  forget(): void
}

export function createPurses({ all, unclear, orders }: WatchedBets): Purses {
  const cash = new Map<string, bigint>()
  let isForgotten = false
  const leastOf = (betId: string, bet: Watched): bigint => {
    const lives = bet.underWay.size === 0 ? bet.possible : orders(betId, bet)
    return leastIn(lives.map(({ life }) => moved(life)))
  }
  const look = (player: string, currency: string) => {
    const mine = [...all].filter(([, bet]) => bet.player === player && bet.currency === currency)
    const waiting = mine.filter(([, bet]) => needyOf(bet).length > 0)
    if (waiting.length === 0) return
    const known = isForgotten ? undefined : cash.get(`${player} ${currency}`)
    const parts = new Map(mine.map(([betId, bet]) => [betId, leastOf(betId, bet)]))
    const isKnown = known !== undefined && !mine.some(([betId]) => unclear.has(betId))
    const sum = [...parts.values()].reduce((total, part) => total + part, known ?? 0n)
    for (const [betId, bet] of waiting)
      for (const call of needyOf(bet)) {
        const least = isKnown ? sum - (parts.get(betId) ?? 0n) : NOTHING_KNOWN
        call.least = leastIn([least, ...(call.least === undefined ? [] : [call.least])])
      }
  }
  return {
    look,
    cash(player, least, currency = 'EUR') {
      cash.set(`${player} ${currency}`, least)
      look(player, currency)
    },
    enoughFor(bet, betId, call) {
      const isPlace = call.kind === 'place'
      if (isPlace && bet.possible.some(({ life }) => life.status !== 'nothing')) return undefined
      const alike = needyOf(bet).filter(({ kind }) => (kind === 'place') === isPlace)
      const least = leastIn(alike.map((one) => one.least ?? NOTHING_KNOWN))
      const needs = isPlace
        ? -centsOf(call.amount)
        : leastIn(orders(betId, bet).flatMap(({ life }) => movedBy(life, call) ?? []))
      return least + needs >= 0n ? least : undefined
    },
    forget() {
      isForgotten = true
    },
  }
}

/** Less than anybody can owe. */
const NOTHING_KNOWN = -(10n ** 30n)

/** Those that may be refused for want of money: a result takes something back. */
function needyOf({ underWay }: Watched) {
  const isNeedy = ({ kind, rules }: UnderWay) =>
    kind === 'place' || (rules.clawback === 'refuse' && (kind === 'settle' || kind === 'unsettle'))
  return [...underWay.values()].filter(isNeedy)
}

function leastIn(amounts: readonly bigint[]): bigint {
  const [first = NOTHING_KNOWN, ...others] = amounts
  return others.reduce((least, one) => (one < least ? one : least), first)
}
