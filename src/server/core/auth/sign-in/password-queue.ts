/**
 * Queue of the passwords that requests show (U-4): one at a time is compared.
 *
 * An address has one place, and its own passwords follow each other. A pause of an address is over
 * before it takes its place, so addresses that are slowed keep no other one out. Addresses that had
 * a right password lately go first, then those with fewer wrong passwords. When all places are
 * taken, the last address in this order loses its place to an earlier one.
 */

import { createLru } from '../../../../runtime/lru-cache.ts'
import { busy } from '../../http/api/problem-details.ts'

/** Passwords of one address that may wait. */
const MAX_WAITING_PER_ADDRESS = 8
/** Addresses that may wait or be in their pause: as many as there may be connections. */
const MAX_ADDRESSES = 10_000
/** Addresses that may wait for their turn. */
export const MAX_WAITING_ADDRESSES = 64

interface AddressQueue {
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

interface WaitingAddress extends Rank {
  begin(): void
  evict(): void
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
  const queues = new Map<string, AddressQueue>()
  const known = createLru<true>(MAX_KNOWN)
  const acquire = createPriorityMutex()
  return {
    run(address, ready, work) {
      const queue = queues.get(address) ?? { length: 0, last: Promise.resolve() }
      if (queue.length >= MAX_WAITING_PER_ADDRESS || (queue.length === 0 && queues.size >= MAX_ADDRESSES))
        return Promise.reject(busy)
      queues.set(address, queue)
      queue.length += 1
      const mine = queue.last
        .then(async () => {
          const failures = await ready()
          const release = await acquire({ isKnown: known.get(address) ?? false, failures })
          const found = await work().finally(release)
          if (found !== undefined) known.set(address, true)
          return found
        })
        .finally(() => {
          queue.length -= 1
          if (queue.length === 0) queues.delete(address)
        })
      queue.last = mine.catch(() => {})
      return mine
    },
  }
}

/** Resolves to the end of the turn, which its holder calls once. */
function createPriorityMutex(): (rank: Rank) => Promise<() => void> {
  const waiting: WaitingAddress[] = []
  let isLocked = false
  const release = () => {
    const first = waiting.reduce<WaitingAddress | undefined>(
      (best, one) => (best && !isBefore(one, best) ? best : one),
      undefined,
    )
    isLocked = first !== undefined
    if (first === undefined) return
    waiting.splice(waiting.indexOf(first), 1)
    first.begin()
  }
  return (rank) => {
    if (!isLocked) {
      isLocked = true
      return Promise.resolve(release)
    }
    if (waiting.length >= MAX_WAITING_ADDRESSES) {
      const worst = waiting.reduce((last, one) => (isBefore(one, last) ? last : one))
      if (!isBefore(rank, worst)) return Promise.reject(busy)
      waiting.splice(waiting.indexOf(worst), 1)
      worst.evict()
    }
    return new Promise((resolve, reject) => {
      waiting.push({ ...rank, begin: () => resolve(release), evict: () => reject(busy) })
    })
  }
}

function isBefore(one: Rank, other: Rank): boolean {
  return one.isKnown === other.isKnown ? one.failures < other.failures : one.isKnown
}
