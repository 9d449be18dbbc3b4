// Supplies the generator with its next requests: only bets, or bets and later their results.
import type { BenchPlayer } from './place-bet.ts'
import { type BetSlab, type RequestSlab, signedBets, signedRequests } from './request-slab.ts'

export interface SuppliedRequest {
  bytes: Buffer
  isBet: boolean
  /** Called after a reply with 200. */
  accepted?(): void
}

export interface Supply {
  /** Signs this number of calls and drops unsent ones. */
  sign(calls: number): void
  /** Undefined when the signed calls are used up. */
  next(): SuppliedRequest | undefined
}

export interface Callers {
  players: BenchPlayer[]
  secret: string
}

/** Bets that stay open, so that a result follows long after its bet and may go to any process. */
const OPEN_BETS = 5_000
/** No server reads the Host header. */
const ANY_HOST = 'wallet'

/**
 * Number of calls that are signed at once during the warm-up. The load pauses for this time, which
 * is far shorter than a server's keep-alive timeout.
 */
const AT_ONCE = 10_000

/** Signs more calls when they are used up, for a warm-up of any length. */
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
