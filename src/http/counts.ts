/** Calls counted by two labels, of few values each. The counter of prom-client costs a call as much as its durations do. */
import { metricText, type Sample } from '../runtime/metric-text.ts'

export interface Counts {
  count(first: string, second: string): void
  /** Prometheus exposition format. */
  text(): string
}

export function createCounts(name: string, help: string, [first, second]: readonly [string, string]): Counts {
  const all = new Map<string, Map<string, { calls: number }>>()
  return {
    count(one, other) {
      const beside = once(all, one, () => new Map<string, { calls: number }>())
      once(beside, other, () => ({ calls: 0 })).calls += 1
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
