/** What one bet may have become: each order in which calls may have taken effect, as far as no answer has ruled it out. */
import { after, BEGINNING, type Life, type Verdict, type Waiting } from './bet-life.ts'

/** One order of what took effect: the life that it led to, and what calls that are under way were told, or will be. */
export interface Possible {
  readonly life: Life
  readonly done: Readonly<Record<number, Verdict>>
}

/** `least`: what its player had at least since it came (purses.ts). `isOld`: a backup was put back while it was under way. What it did may be gone, and its answer still comes. */
export type UnderWay = Waiting & { isOld?: boolean; least?: bigint }

export interface Watched {
  readonly player: string
  readonly currency: string
  possible: readonly Possible[]
  /** Calls that may still take effect. */
  readonly underWay: Map<number, UnderWay>
}

/** Possibilities of one bet, and sums of one player, that are kept; beyond them nothing is said. */
export const MOST = 2_000

export interface WatchedBets {
  readonly all: Map<string, Watched>
  /** Of these too much was possible once. */
  readonly unclear: Set<string>
  of(betId: string, player: string, currency: string): Watched
  orders(betId: string, bet: Watched): readonly Possible[]
  /** The same, whatever calls will be told. */
  lives(betId: string, bet: Watched): readonly Possible[]
  keep(betId: string, bet: Watched, possible: readonly Possible[]): void
  eachCall(change: (call: UnderWay, betId: string, player: string) => void): void
}

export const UNTOUCHED: readonly Possible[] = [{ life: BEGINNING, done: {} }]

export function createWatchedBets(): WatchedBets {
  const [all, unclear] = [new Map<string, Watched>(), new Set<string>()]
  const orders = (betId: string, bet: Watched) => {
    const found = everyOrder(bet)
    if (found.length > MOST) unclear.add(betId)
    return found
  }
  return {
    ...{ all, unclear, orders },
    of(betId, player, currency) {
      const bet = all.get(betId) ?? { player, currency, possible: UNTOUCHED, underWay: new Map() }
      all.set(betId, bet)
      return bet
    },
    lives: (betId, bet) => distinct(orders(betId, bet).map(({ life }) => ({ life, done: {} }))),
    keep(betId, bet, possible) {
      const kept = distinct(possible)
      if (kept.length > MOST) unclear.add(betId)
      bet.possible = kept
    },
    eachCall(change) {
      for (const [betId, { player, underWay }] of all) for (const call of underWay.values()) change(call, betId, player)
    },
  }
}

/** With each call that is under way taken at any time, or not yet. */
function everyOrder({ possible, underWay }: Watched): Possible[] {
  const found = new Map<string, Possible>()
  const todo = [...possible]
  for (let one = todo.pop(); one !== undefined && found.size <= MOST; one = todo.pop()) {
    const name = JSON.stringify(one)
    if (found.has(name)) continue
    found.set(name, one)
    for (const [id, call] of underWay) {
      if (one.done[id] !== undefined) continue
      for (const [life, verdict] of after(one.life, call)) todo.push({ life, done: { ...one.done, [id]: verdict } })
    }
  }
  return [...found.values()]
}

function distinct(possible: readonly Possible[]): Possible[] {
  return [...new Map(possible.map((one) => [JSON.stringify(one), one])).values()]
}

/** Those in which the call was told so; it is under way no more. */
export function toldSo(possible: readonly Possible[], id: number, isSo: (told: Verdict | undefined) => boolean) {
  return possible.filter(({ done }) => isSo(done[id])).map(({ life, done }) => ({ life, done: without(done, id) }))
}

function without(done: Possible['done'], id: number): Possible['done'] {
  const { [id]: _, ...rest } = done
  return rest
}
