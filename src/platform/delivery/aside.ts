/** Deliveries that the database refuses to change at all: left out for a minute at a time, so that what is behind them goes out (C-15). */
import { MAX_RESULT_GAP_MS } from './schedule.ts'

export interface Aside {
  ids(): bigint[]
  add(deliveryId: bigint): void
}

/** Each statement that looks for what is due is sent them all. */
const MOST_ASIDE = 1_000

/** `elapsed`: milliseconds of a clock that nobody sets. */
export function createAside(elapsed: () => number): Aside {
  const until = new Map<bigint, number>()
  return {
    ids() {
      for (const [id, at] of until) if (at <= elapsed()) until.delete(id)
      return [...until.keys()]
    },
    add(deliveryId) {
      until.set(deliveryId, elapsed() + MAX_RESULT_GAP_MS)
      for (const [oldest] of until) if (until.size > MOST_ASIDE) until.delete(oldest)
    },
  }
}
