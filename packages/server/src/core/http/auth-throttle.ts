/**
 * Rate limit of wrong keys, by address: the more wrong keys an address sends, the later the answer.
 *
 * A valid key never waits, because all callers of an unlisted proxy share its address (W-26). The
 * number of remembered addresses and of delayed answers is limited.
 */

import { sleep } from '@purser/runtime/async/sleep'
import { environment } from '@purser/runtime/environment'
import { createLru } from '@purser/runtime/lru-cache'

/** Addresses in memory; at least the most recent half of this number is never dropped. */
const MAX_ADDRESSES = 1_000
/** Milliseconds without a wrong key, after which the count of an address restarts. */
const FORGET_MS = 60_000
/** Wrong keys that are answered at once, for typing errors. */
const FREE_FAILURES = 20
/** Milliseconds; doubled with each further wrong key. */
const FIRST_DELAY_MS = 50
const MAX_DELAY_MS = 1_000
/** Answers that are delayed at the same time; further answers are sent at once. */
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

  /** Returns the failures of this address without a pause of FORGET_MS, including this one. */
  recordFailure(address: string): number {
    const prefix = addressPrefix(address)
    const known = this.records.get(prefix)
    const now = this.now()
    const failures = known !== undefined && now - known.lastAt < FORGET_MS ? known.failures + 1 : 1
    this.records.set(prefix, { failures, lastAt: now })
    return failures
  }

  /**
   * Resolves when this address may make its next guess, after the same delay as its last answer.
   * Returns its number of failures.
   */
  async waitForNextAttempt(address: string): Promise<number> {
    const known = this.records.get(addressPrefix(address))
    if (known === undefined || this.now() - known.lastAt >= FORGET_MS) return 0
    await this.delayResponse(known.failures)
    return known.failures
  }

  /** Resolves when the answer to a wrong key may be sent. */
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

/** True for failures 1, 2, 4, 8 …, so that guesses cannot fill the disk. */
export function shouldLog(failures: number): boolean {
  return (failures & (failures - 1)) === 0
}

/** Returns the /64 of an IPv6 address, because one caller usually owns the whole /64. */
export function addressPrefix(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
