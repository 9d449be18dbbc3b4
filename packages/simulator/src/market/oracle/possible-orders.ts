/** The possible states of one bet, one for each order of its calls that no answer has ruled out. */
import { type BetLife, type CallVerdict, NEW_BET_LIFE, nextLives, type PendingCall } from '../bet-life.ts'

/** The resulting life of the bet, and the answers of the calls in progress. */
export interface PossibleOrder {
  readonly life: BetLife
  readonly done: Readonly<Record<number, CallVerdict>>
}

/**
 * `least`: the lowest possible balance since its arrival (minimum-balances.ts). `isOld`: a backup
 * was restored during the call. Its effect may be lost, but its answer still arrives.
 */
export type OpenCall = PendingCall & { isOld?: boolean; least?: bigint }

export interface ObservedBet {
  readonly player: string
  readonly currency: string
  possible: readonly PossibleOrder[]
  readonly underWay: Map<number, OpenCall>
}

/**
 * The limit for the possible orders of one bet, and the sums of one player. Above it nothing is
 * checked.
 */
export const MAX_POSSIBLE = 2_000

export interface WatchedBets {
  readonly all: Map<string, ObservedBet>
  /** Bets that have exceeded the limit. */
  readonly unclear: Set<string>
  of(betId: string, player: string, currency: string): ObservedBet
  orders(betId: string, bet: ObservedBet): readonly PossibleOrder[]
  /** Ignores the answers of the calls in progress. */
  lives(betId: string, bet: ObservedBet): readonly PossibleOrder[]
  keep(betId: string, bet: ObservedBet, possible: readonly PossibleOrder[]): void
  eachCall(change: (call: OpenCall, betId: string, player: string) => void): void
}

export const UNTOUCHED_BET: readonly PossibleOrder[] = [{ life: NEW_BET_LIFE, done: {} }]

export function createWatchedBets(): WatchedBets {
  const [all, unclear] = [new Map<string, ObservedBet>(), new Set<string>()]
  const orders = (betId: string, bet: ObservedBet) => {
    const found = enumerateOrders(bet)
    if (found.length > MAX_POSSIBLE) unclear.add(betId)
    return found
  }
  return {
    ...{ all, unclear, orders },
    of(betId, player, currency) {
      const bet = all.get(betId) ?? { player, currency, possible: UNTOUCHED_BET, underWay: new Map() }
      all.set(betId, bet)
      return bet
    },
    lives: (betId, bet) => distinct(orders(betId, bet).map(({ life }) => ({ life, done: {} }))),
    keep(betId, bet, possible) {
      const kept = distinct(possible)
      if (kept.length > MAX_POSSIBLE) unclear.add(betId)
      bet.possible = kept
    },
    eachCall(change) {
      for (const [betId, { player, underWay }] of all) for (const call of underWay.values()) change(call, betId, player)
    },
  }
}

/** Each call in progress takes effect at any time, or not yet. */
function enumerateOrders({ possible, underWay }: ObservedBet): PossibleOrder[] {
  const found = new Map<string, PossibleOrder>()
  const todo = [...possible]
  for (let one = todo.pop(); one !== undefined && found.size <= MAX_POSSIBLE; one = todo.pop()) {
    const name = JSON.stringify(one)
    if (found.has(name)) continue
    found.set(name, one)
    for (const [id, call] of underWay) {
      if (one.done[id] !== undefined) continue
      for (const [life, verdict] of nextLives(one.life, call)) todo.push({ life, done: { ...one.done, [id]: verdict } })
    }
  }
  return [...found.values()]
}

function distinct(possible: readonly PossibleOrder[]): PossibleOrder[] {
  return [...new Map(possible.map((one) => [JSON.stringify(one), one])).values()]
}

/** Keeps the orders in which the call got this answer. */
export function filterByAnswer(
  possible: readonly PossibleOrder[],
  id: number,
  isSo: (answered: CallVerdict | undefined) => boolean,
) {
  return possible.filter(({ done }) => isSo(done[id])).map(({ life, done }) => ({ life, done: omitCall(done, id) }))
}

function omitCall(done: PossibleOrder['done'], id: number): PossibleOrder['done'] {
  const { [id]: _, ...rest } = done
  return rest
}
