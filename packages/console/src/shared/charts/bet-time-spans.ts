/**
 * Time spans of a bet, in which the journal is searched for its calls. A search over the bet's
 * whole life would be too slow.
 */
import type { PlatformBetDetail, WalletBetDetail } from '@purser/timeline/bet-sources'

export interface BetTimeSpan {
  readonly from: Date
  /** Absent means until now. */
  readonly to?: Date
}

const MINUTE_MS = 60_000
/** Margin around each span: rejected calls are near others, and clocks of two hosts differ. */
const AROUND_MS = MINUTE_MS
/** A longer gap separates two spans. */
const LONG_MS = 10 * MINUTE_MS
/** The most requests for one bet. */
const MAX_SPANS = 6
/** If the last change is more recent, the last span has no end. */
const RECENT_MS = 60 * MINUTE_MS

interface KnownSources {
  readonly wallet?: WalletBetDetail | undefined
  readonly platform?: PlatformBetDetail | undefined
}

/** The spans are in order of time and contain every known moment of the bet. */
export function computeBetTimeSpans(known: KnownSources, now: Date): BetTimeSpan[] {
  const times = collectTimes(known).sort((a, b) => a - b)
  const cuts = splitAtGaps(times)
  return cuts.map(([first, last], i) => {
    const isOpen = i === cuts.length - 1 && now.getTime() - last < RECENT_MS
    return { from: new Date(first - AROUND_MS), ...(!isOpen && { to: new Date(last + AROUND_MS) }) }
  })
}

function collectTimes({ wallet, platform }: KnownSources): number[] {
  const deliveries = platform?.deliveries ?? []
  const walletTimes = wallet === undefined ? [] : [wallet.firstSeenAt, ...wallet.history.map(({ at }) => at)]
  const sent = deliveries.flatMap(({ decidedAt, attemptList }) => [
    decidedAt,
    ...attemptList.map(({ startedAt }) => startedAt),
  ])
  return [...walletTimes, ...sent].map((at) => Date.parse(at))
}

/** The first and last time of each span. The longest gaps separate the spans. */
function splitAtGaps(times: readonly number[]): [first: number, last: number][] {
  const gap = (i: number) => (times[i] ?? 0) - (times[i - 1] ?? 0)
  const begins = times
    .map((_, i) => i)
    .filter((i) => i > 0 && gap(i) > LONG_MS)
    .sort((a, b) => gap(b) - gap(a))
    .slice(0, MAX_SPANS - 1)
    .sort((a, b) => a - b)
  const firsts = times.length === 0 ? [] : [0, ...begins]
  return firsts.map((first, i) => [times[first] ?? 0, times[(firsts[i + 1] ?? times.length) - 1] ?? 0])
}
