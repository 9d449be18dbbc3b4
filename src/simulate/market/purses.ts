/**
 * When a bet must be taken: code 7 is right only where the stake may not have been there. For each Place bet under way it is kept how little
 * its player may have had since it came: what the operator has moved by hand, and the least that each other bet may have brought.
 */
import { moved } from './bet-life.ts'
import { centsOf } from './cents.ts'
import type { Watched, WatchedBets } from './possible.ts'

export interface Purses {
  /** The least that was moved by hand so far, in minor units. Until it is said, nothing is known of this player. */
  cash(player: string, least: bigint): void
  /** A call about this player has come. */
  look(player: string): void
  /** Of a bet that is refused for want of money now: the least that was there, where that is enough. */
  enoughFor(bet: Watched, amount: string): bigint | undefined
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
  const look = (player: string) => {
    const mine = [...all].filter(([, bet]) => bet.player === player)
    const waiting = mine.filter(([, bet]) => placesOf(bet).length > 0)
    if (waiting.length === 0) return
    const known = isForgotten ? undefined : cash.get(player)
    const parts = new Map(mine.map(([betId, bet]) => [betId, leastOf(betId, bet)]))
    const isKnown = known !== undefined && !mine.some(([betId]) => unclear.has(betId))
    const sum = [...parts.values()].reduce((total, part) => total + part, known ?? 0n)
    for (const [betId, bet] of waiting)
      for (const call of placesOf(bet)) {
        const least = isKnown ? sum - (parts.get(betId) ?? 0n) : NOTHING_KNOWN
        call.least = leastIn([least, ...(call.least === undefined ? [] : [call.least])])
      }
  }
  return {
    look,
    cash(player, least) {
      cash.set(player, least)
      look(player)
    },
    enoughFor(bet, amount) {
      if (bet.possible.some(({ life }) => life.status !== 'nothing')) return undefined
      const least = leastIn(placesOf(bet).map((call) => call.least ?? NOTHING_KNOWN))
      return least >= centsOf(amount) ? least : undefined
    },
    forget() {
      isForgotten = true
    },
  }
}

/** Less than anybody can owe. */
const NOTHING_KNOWN = -(10n ** 30n)

function placesOf({ underWay }: Watched) {
  return [...underWay.values()].filter(({ kind }) => kind === 'place')
}

function leastIn(amounts: readonly bigint[]): bigint {
  const [first = NOTHING_KNOWN, ...others] = amounts
  return others.reduce((least, one) => (one < least ? one : least), first)
}
