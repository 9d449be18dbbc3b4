/**
 * Counter with two labels of few values each. The counter of prom-client costs a call as much as its durations do.
 * Series that alerts watch begin at 0: Prometheus sees no increase when a series begins at 1.
 */
import { metricText, type Sample } from '../runtime/metric-text.ts'

export interface Counts {
  count(first: string, second: string): void
  /** Prometheus exposition format. */
  text(): string
}

/** Values of the second label whose series exist from the start, and the first labels known by then. */
export interface Watched {
  readonly first: readonly string[]
  readonly second: readonly string[]
}

export function createCounts(
  name: string,
  help: string,
  [first, second]: readonly [string, string],
  watched: Watched = { first: [], second: [] },
): Counts {
  const all = new Map<string, Map<string, { calls: number }>>()
  const begin = () => new Map(watched.second.map((other) => [other, { calls: 0 }]))
  for (const one of watched.first) once(all, one, begin)
  return {
    count(one, other) {
      once(once(all, one, begin), other, () => ({ calls: 0 })).calls += 1
    },
    text() {
      const samples = [...all].flatMap(([one, beside]) =>
        [...beside].map(([other, { calls }]): Sample => [{ [first]: one, [second]: other }, calls]),
      )
      return metricText(name, 'counter', help, samples)
    },
  }
}

function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make()
  known.set(key, made)
  return made
}
