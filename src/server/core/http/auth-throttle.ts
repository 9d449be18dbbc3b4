/**
 * Wrong keys, counted by address. The more an address has sent lately, the later the answer comes.
 *
 * A good key never waits, because all callers behind an unnamed proxy share its address (W-26).
 * The memory is bounded, and so is the log.
 */

import { sleep } from '../../../runtime/async/sleep.ts'
import { environment } from '../../../runtime/environment.ts'
import { createLru } from '../../../runtime/lru-cache.ts'

/** Addresses that are remembered; those that were heard of longest ago are forgotten first, and never the last half of as many. */
const MAX_ADDRESSES = 1_000
/** Milliseconds without a wrong key after which an address begins anew. */
const FORGET_MS = 60_000
/** Wrong keys that are answered at once: people and programs mistype. */
const FREE_FAILURES = 20
/** Milliseconds; doubled with each wrong key beyond those. */
const FIRST_DELAY_MS = 50
const MAX_DELAY_MS = 1_000
/** Answers that are held back at once, of all addresses: beyond that they go out as they come. */
const MAX_DELAYED_RESPONSES = 1_000

interface FailureRecord {
  readonly failures: number
  readonly lastAt: number
}

export class FailedAuthThrottle {
  private readonly records = createLru<FailureRecord>(MAX_ADDRESSES)
  private readonly now: () => number
  private readonly wait: (milliseconds: number) => Promise<unknown>
  private delayedResponses = 0

  constructor(
    now: () => number = () => environment.monotonicNow(),
    wait: (milliseconds: number) => Promise<unknown> = sleep,
  ) {
    this.now = now
    this.wait = wait
  }

  /** Counts one more failure of this address; answers how many it has had without a pause. */
  recordFailure(address: string): number {
    const prefix = addressPrefix(address)
    const known = this.records.get(prefix)
    const now = this.now()
    const failures = known !== undefined && now - known.lastAt < FORGET_MS ? known.failures + 1 : 1
    this.records.set(prefix, { failures, lastAt: now })
    return failures
  }

  /**
   * Resolves when this address may make its next guess, which is as late as its last failure was
   * answered. The result is its number of failures.
   */
  async waitForNextAttempt(address: string): Promise<number> {
    const known = this.records.get(addressPrefix(address))
    if (known === undefined || this.now() - known.lastAt >= FORGET_MS) return 0
    await this.delayResponse(known.failures)
    return known.failures
  }

  /** Resolves when the answer to a wrong key may go out. */
  async delayResponse(failures: number): Promise<void> {
    const milliseconds = failureDelayMs(failures)
    if (milliseconds === 0 || this.delayedResponses >= MAX_DELAYED_RESPONSES) return
    this.delayedResponses += 1
    await this.wait(milliseconds).finally(() => {
      this.delayedResponses -= 1
    })
  }
}

export function failureDelayMs(failures: number): number {
  return failures <= FREE_FAILURES
    ? 0
    : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - FREE_FAILURES - 1, 10))
}

/** The first failure, and ever rarer ones: nobody fills the disk. */
export function shouldLog(failures: number): boolean {
  return (failures & (failures - 1)) === 0
}

/** Whoever has one address of IPv6 has the 2^64 beside it. */
export function addressPrefix(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
