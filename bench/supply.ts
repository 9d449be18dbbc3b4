// What the generator sends next: bets only, or bets and, once they are placed, their results.
import type { BenchPlayer } from './place-bet.ts'
import { type BetSlab, type RequestSlab, signedBets, signedRequests } from './request-slab.ts'

export interface SuppliedRequest {
  bytes: Buffer
  isBet: boolean
  /** To be called when it was answered with 200. */
  accepted?(): void
}

export interface Supply {
  /** Signs so many calls; those that were not sent are forgotten. */
  sign(calls: number): void
  /** undefined when the signed ones are used up. */
  next(): SuppliedRequest | undefined
}

export interface Callers {
  players: BenchPlayer[]
  secret: string
}

/** Bets that are open at any time, so that a result comes long after its bet, and to any of the processes. */
const OPEN_BETS = 5_000
/** Nobody looks at it. */
const ANY_HOST = 'wallet'

/** Calls that are signed at once while they are sent, besides the bets that stay open: a pause far shorter than a server keeps a still connection. */
const AT_ONCE = 10_000

/** For a warm-up, however long: signs more whenever those are used up. */
export function repeatEndlessly(supply: Supply): Supply {
  const signed = () => {
    supply.sign(AT_ONCE)
    return supply.next()
  }
  return { sign: supply.sign, next: () => supply.next() ?? signed() }
}

export function supplyBets({ players, secret }: Callers): Supply {
  let slab: RequestSlab | undefined
  return {
    sign(calls) {
      slab = signedRequests(calls, players, ANY_HOST, secret)
    },
    next() {
      const bytes = slab?.take()
      return bytes && { bytes, isBet: true }
    },
  }
}

export function supplyBetsAndResults({ players, secret }: Callers): Supply {
  let slab: BetSlab | undefined
  let open: Buffer[] = []
  let first = 0
  return {
    sign(calls) {
      slab = signedBets(Math.ceil(calls / 2) + OPEN_BETS, players, ANY_HOST, secret)
      open = open.slice(first)
      first = 0
    },
    next() {
      if (open.length - first > OPEN_BETS) return { bytes: open[first++]!, isBet: false }
      const bet = slab?.take()
      return bet && { bytes: bet.place, isBet: true, accepted: () => void open.push(bet.settle) }
    },
  }
}
