/**
 * Types of the Overview's data about the calls of the last hour, and how often the page loads the
 * data.
 */
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

/** The hour moves on even without new calls. */
export const OVERVIEW_POLL_MS = 10_000
export const OVERVIEW_LIVE: LiveMeta = { live: ['call', 'bet', 'delivery'], everyMs: 2_000 }
