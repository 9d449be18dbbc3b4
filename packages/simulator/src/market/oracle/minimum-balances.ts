/**
 * The lowest possible balances, which decide whether a wallet may refuse for lack of money with
 * codes 7 and 21 (R-6, L-2).
 *
 * Each call that needs money stores the lowest possible balance since its arrival. That balance is
 * the sum of the manual movements and of the lowest possible total of each other bet.
 */
import { computeLoweredResult, computeMoved } from '../bet-life.ts'
import { parseCents } from './market-money.ts'
import type { ObservedBet, OpenCall, WatchedBets } from './possible-orders.ts'

export interface MinimumBalances {
  /** The lowest possible sum of manual movements. Without this sum the balance is unknown. */
  cash(player: string, least: bigint, currency?: string): void
  /** A call about this player has arrived. */
  update(player: string, currency: string): void
  /**
   * For a call that is refused for lack of money: the lowest possible balance without its bet.
   * Undefined if the refusal may be right.
   */
  enoughFor(bet: ObservedBet, betId: string, call: OpenCall): bigint | undefined
  /** A backup was restored: all balances are unknown from now on. */
  forget(): void
}

export function createMinimumBalances({ all, unclear, orders }: WatchedBets): MinimumBalances {
  const cash = new Map<string, bigint>()
  let isForgotten = false
  const leastOf = (betId: string, bet: ObservedBet): bigint => {
    const lives = bet.underWay.size === 0 ? bet.possible : orders(betId, bet)
    return findLeast(lives.map(({ life }) => computeMoved(life)))
  }
  const update = (player: string, currency: string) => {
    const mine = [...all].filter(([, bet]) => bet.player === player && bet.currency === currency)
    const waiting = mine.filter(([, bet]) => listNeedyCalls(bet).length > 0)
    if (waiting.length === 0) return
    const known = isForgotten ? undefined : cash.get(`${player} ${currency}`)
    const parts = new Map(mine.map(([betId, bet]) => [betId, leastOf(betId, bet)]))
    const isKnown = known !== undefined && !mine.some(([betId]) => unclear.has(betId))
    const sum = [...parts.values()].reduce((total, part) => total + part, known ?? 0n)
    for (const [betId, bet] of waiting)
      for (const call of listNeedyCalls(bet)) {
        const least = isKnown ? sum - (parts.get(betId) ?? 0n) : NOTHING_KNOWN
        call.least = findLeast([least, ...(call.least === undefined ? [] : [call.least])])
      }
  }
  return {
    update,
    cash(player, least, currency = 'EUR') {
      cash.set(`${player} ${currency}`, least)
      update(player, currency)
    },
    enoughFor(bet, betId, call) {
      const isPlace = call.kind === 'place'
      if (isPlace && bet.possible.some(({ life }) => life.status !== 'nothing')) return undefined
      const alike = listNeedyCalls(bet).filter(({ kind }) => (kind === 'place') === isPlace)
      const least = findLeast(alike.map((one) => one.least ?? NOTHING_KNOWN))
      const needs = isPlace
        ? -parseCents(call.amount)
        : findLeast(orders(betId, bet).flatMap(({ life }) => computeLoweredResult(life, call) ?? []))
      return least + needs >= 0n ? least : undefined
    },
    forget() {
      isForgotten = true
    },
  }
}

/** Less than any possible debt. */
const NOTHING_KNOWN = -(10n ** 30n)

/** A Place bet, and any result that may take money back. */
function listNeedyCalls({ underWay }: ObservedBet) {
  const isNeedy = ({ kind, rules }: OpenCall) =>
    kind === 'place' || (rules.clawback === 'refuse' && (kind === 'settle' || kind === 'unsettle'))
  return [...underWay.values()].filter(isNeedy)
}

function findLeast(amounts: readonly bigint[]): bigint {
  const [first = NOTHING_KNOWN, ...others] = amounts
  return others.reduce((least, one) => (one < least ? one : least), first)
}
