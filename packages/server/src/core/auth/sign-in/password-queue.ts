/**
 * Priority queue of password checks (U-4): one password is compared at a time.
 *
 * An IP address has at most one place in the queue; its passwords are checked in order. An address
 * that must wait after wrong passwords takes a place only after this delay, so it blocks no other.
 * Addresses with a recent correct password go first, then addresses with fewer wrong ones. If all
 * places are taken, the last address in this order loses its place to an earlier one.
 */

import { createLru } from '@purser/runtime/lru-cache'
import { busy } from '../../http/api/problem-details.ts'

/** Waiting passwords of one address. */
const MAX_WAITING_PER_ADDRESS = 8
/** Waiting or delayed addresses, as many as the possible connections. */
const MAX_ADDRESSES = 10_000
export const MAX_WAITING_ADDRESSES = 64

interface AddressQueue {
  length: number
  last: Promise<unknown>
}

/** Addresses with a recent correct password. This affects only the order of the queue. */
const MAX_KNOWN = 1_000

interface Rank {
  /** The address had a correct password. */
  readonly isKnown: boolean
  /** Recent wrong passwords of the address. */
  readonly failures: number
}

interface WaitingAddress extends Rank {
  begin(): void
  evict(): void
}

export interface PasswordQueue {
  /**
   * `ready` resolves after the delay of the address, to its number of wrong passwords. `work`
   * resolves to undefined for a wrong password. Rejects with `busy` before `work` if the queue is
   * full.
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

/** Resolves to the release function, which the holder calls once. */
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
