/** The last hour of calls as the servers give it, and how often the page reads it again. */
import type { LiveMeta } from '../../app/live-updates.tsx'

export interface CallCounts {
  readonly at: string
  readonly accepted: number
  readonly refused: number
  readonly failed: number
}
export interface Party {
  readonly name: string
  readonly isKnown: boolean
  readonly minutes: readonly CallCounts[]
}
export interface Hour {
  readonly from: string
  readonly to: string
  readonly minutes: readonly (CallCounts & { readonly p99Ms: number })[]
  readonly parties: readonly Party[]
  readonly oldestWaiting?: string
}

/** Milliseconds: the hour goes on while nothing happens. */
export const OVERVIEW_POLL_MS = 10_000
export const OVERVIEW_LIVE: LiveMeta = { live: ['call', 'bet', 'delivery'], everyMs: 2_000 }
