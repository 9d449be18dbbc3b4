/**
 * Queue of the passwords that requests show (U-4): one at a time is compared.
 *
 * An address has one place, and its own passwords follow each other. A pause of an address is over
 * before it takes its place, so addresses that are slowed keep no other one out. Addresses with
 * fewer wrong passwords go first. When all places are taken, the address with the most wrong
 * passwords loses its place to one with fewer.
 */
import { busy } from '../http/problem.ts'

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

interface Place {
  /** Wrong passwords of the address lately. */
  readonly failures: number
  begin(): void
  lose(): void
}

export interface PasswordQueue {
  /**
   * `ready` resolves after the pause of the address, to its number of wrong passwords. Rejects with
   * `busy`, before the work has begun, when too many wait.
   */
  run<T>(address: string, ready: () => Promise<number>, work: () => Promise<T>): Promise<T>
}

export function createPasswordQueue(): PasswordQueue {
  const lines = new Map<string, Line>()
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
          const end = await takeTurn(await ready())
          return work().finally(end)
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
function createTurns(): (failures: number) => Promise<() => void> {
  const places: Place[] = []
  let isTaken = false
  const next = () => {
    const first = places.reduce<Place | undefined>(
      (best, one) => (best && best.failures <= one.failures ? best : one),
      undefined,
    )
    isTaken = first !== undefined
    if (first === undefined) return
    places.splice(places.indexOf(first), 1)
    first.begin()
  }
  return (failures) => {
    if (!isTaken) {
      isTaken = true
      return Promise.resolve(next)
    }
    if (places.length >= MAX_PLACES) {
      const worst = places.reduce((most, one) => (one.failures >= most.failures ? one : most))
      if (worst.failures <= failures) return Promise.reject(busy)
      places.splice(places.indexOf(worst), 1)
      worst.lose()
    }
    return new Promise((resolve, reject) => {
      places.push({ failures, begin: () => resolve(next), lose: () => reject(busy) })
    })
  }
}
