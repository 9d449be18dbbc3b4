/**
 * Queue of the passwords that requests show (U-4): one at a time is compared.
 *
 * An address has one place, and its own passwords follow each other. A pause of an address is over
 * before it takes its place, so addresses that are slowed keep no other one out. Addresses that had
 * a right password lately go first, then those with fewer wrong passwords. When all places are
 * taken, the last address in this order loses its place to an earlier one.
 */
import { busy } from '../http/problem.ts'
import { createLru } from '../runtime/lru.ts'

/** Passwords of one address that may wait. */
const MAX_OF_ADDRESS = 8
/** Addresses that may wait or be in their pause: as many as there may be connections. */
const MAX_ADDRESSES = 10_000
/** Addresses that may wait for their turn. */
export const MAX_PLACES = 64

interface Line {
  length: number
  last: Promise<unknown>
}

/** Addresses whose right password is remembered. The memory orders the queue and grants nothing. */
const MAX_KNOWN = 1_000

interface Rank {
  /** The address had a right password. */
  readonly isKnown: boolean
  /** Wrong passwords of the address lately. */
  readonly failures: number
}

interface Place extends Rank {
  begin(): void
  lose(): void
}

export interface PasswordQueue {
  /**
   * `ready` resolves after the pause of the address, to its number of wrong passwords. Rejects with
   * `busy`, before the work has begun, when too many wait. `work` resolves to undefined for a wrong
   * password.
   */
  run<T>(address: string, ready: () => Promise<number>, work: () => Promise<T | undefined>): Promise<T | undefined>
}

export function createPasswordQueue(): PasswordQueue {
  const lines = new Map<string, Line>()
  const known = createLru<true>(MAX_KNOWN)
  const takeTurn = createTurns()
  return {
    run(address, ready, work) {
      const line = lines.get(address) ?? { length: 0, last: Promise.resolve() }
      if (line.length >= MAX_OF_ADDRESS || (line.length === 0 && lines.size >= MAX_ADDRESSES))
        return Promise.reject(busy)
      lines.set(address, line)
      line.length += 1
      const mine = line.last
        .then(async () => {
          const failures = await ready()
          const end = await takeTurn({ isKnown: known.get(address) ?? false, failures })
          const found = await work().finally(end)
          if (found !== undefined) known.set(address, true)
          return found
        })
        .finally(() => {
          line.length -= 1
          if (line.length === 0) lines.delete(address)
        })
      line.last = mine.catch(() => {})
      return mine
    },
  }
}

/** Resolves to the end of the turn, which its holder calls once. */
function createTurns(): (rank: Rank) => Promise<() => void> {
  const places: Place[] = []
  let isTaken = false
  const next = () => {
    const first = places.reduce<Place | undefined>(
      (best, one) => (best && !isBefore(one, best) ? best : one),
      undefined,
    )
    isTaken = first !== undefined
    if (first === undefined) return
    places.splice(places.indexOf(first), 1)
    first.begin()
  }
  return (rank) => {
    if (!isTaken) {
      isTaken = true
      return Promise.resolve(next)
    }
    if (places.length >= MAX_PLACES) {
      const worst = places.reduce((last, one) => (isBefore(one, last) ? last : one))
      if (!isBefore(rank, worst)) return Promise.reject(busy)
      places.splice(places.indexOf(worst), 1)
      worst.lose()
    }
    return new Promise((resolve, reject) => {
      places.push({ ...rank, begin: () => resolve(next), lose: () => reject(busy) })
    })
  }
}

function isBefore(one: Rank, other: Rank): boolean {
  return one.isKnown === other.isKnown ? one.failures < other.failures : one.isKnown
}
