// Requests signed before the measured window, in one buffer. Taking a request costs no signature,
// string or garbage collection.
import { randomInt } from 'node:crypto'
import { type BenchPlayer, signedBet, signedPlaceBet } from './place-bet.ts'

const LARGEST_REQUEST_BYTES = 1_280
const LARGEST_SLAB_BYTES = 3_500_000_000

export interface RequestSlab {
  /** Undefined when all are used up. */
  take(): Buffer | undefined
  /** Fewer when they are used up. */
  takeMany(count: number): { bytes: Buffer; count: number }
}

export function signedRequests(count: number, players: BenchPlayer[], host: string, secret: string): RequestSlab {
  const bytes = Math.min(count * LARGEST_REQUEST_BYTES, LARGEST_SLAB_BYTES)
  const slab = Buffer.allocUnsafeSlow(bytes)
  const ends: number[] = []
  let end = 0
  while (ends.length < count && end + LARGEST_REQUEST_BYTES <= bytes) {
    const player = players[randomInt(players.length)]!
    end += slab.write(signedPlaceBet(player, host, secret), end, LARGEST_REQUEST_BYTES, 'latin1')
    ends.push(end)
  }
  let next = 0
  const take = () => (next < ends.length ? slab.subarray(ends[next - 1] ?? 0, ends[next++]) : undefined)
  const takeMany = (count: number) => {
    const from = next
    next = Math.max(from, Math.min(ends.length, from + count))
    return { bytes: slab.subarray(ends[from - 1] ?? 0, ends[next - 1] ?? 0), count: next - from }
  }
  return { take, takeMany }
}

export interface BetSlab {
  /** Undefined when all are used up. Send `settle` after the bet is placed. */
  take(): { place: Buffer; settle: Buffer } | undefined
}

/** The same for bets and their results. */
export function signedBets(count: number, players: BenchPlayer[], host: string, secret: string): BetSlab {
  const slab = Buffer.allocUnsafeSlow(Math.min(2 * count * LARGEST_REQUEST_BYTES, LARGEST_SLAB_BYTES))
  const bets: { place: Buffer; settle: Buffer }[] = []
  let end = 0
  const keep = (text: string) => {
    const start = end
    end += slab.write(text, end, LARGEST_REQUEST_BYTES, 'latin1')
    return slab.subarray(start, end)
  }
  while (bets.length < count && end + 2 * LARGEST_REQUEST_BYTES <= slab.length) {
    const { place, settle } = signedBet(players[randomInt(players.length)]!, host, secret)
    bets.push({ place: keep(place), settle: keep(settle) })
  }
  let next = 0
  return { take: () => bets[next++] }
}
