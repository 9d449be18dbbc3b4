/** Where the journal of calls is asked about a bet: it is looked through by time, and all of a long one takes longer than anybody waits. */
import type { PlatformBetDetail, WalletBetDetail } from '../../../../src/timeline/bet-sources.ts'

export interface BetTimeSpan {
  readonly from: Date
  /** Absent: until now. */
  readonly to?: Date
}

const MINUTE_MS = 60_000
/** Before and after what is known: a call that was refused comes near one that was not, and the clocks of two hosts differ. */
const AROUND_MS = MINUTE_MS
/** A bet's life is cut where nothing happened for longer. */
const LONG_MS = 10 * MINUTE_MS
/** Questions for one bet. */
const MAX_SPANS = 6
/** What changed so lately may go on, and then all until now is asked for. */
const RECENT_MS = 60 * MINUTE_MS

interface KnownSources {
  readonly wallet?: WalletBetDetail | undefined
  readonly platform?: PlatformBetDetail | undefined
}

/** In the order of time; together they hold every moment that is known of the bet. */
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

/** First and last of each part, cut at the longest silences. */
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
