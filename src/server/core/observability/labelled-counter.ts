/**
 * Counter with two labels of few values each. The counter of prom-client costs a call as much as its durations do.
 * Series that alerts watch begin at 0: Prometheus sees no increase when a series begins at 1.
 */
import { formatMetric, type Sample } from './metrics-exposition.ts'

export interface LabelledCounter {
  increment(first: string, second: string): void
  /** Prometheus exposition format. */
  text(): string
}

/** Values of the second label whose series exist from the start, and the first labels known by then. */
export interface InitialSeries {
  readonly first: readonly string[]
  readonly second: readonly string[]
}

export function createLabelledCounter(
  name: string,
  help: string,
  [first, second]: readonly [string, string],
  initialSeries: InitialSeries = { first: [], second: [] },
): LabelledCounter {
  const byFirstLabel = new Map<string, Map<string, { calls: number }>>()
  const createSeries = () => new Map(initialSeries.second.map((secondValue) => [secondValue, { calls: 0 }]))
  for (const firstValue of initialSeries.first) getOrCreate(byFirstLabel, firstValue, createSeries)
  return {
    increment(firstValue, secondValue) {
      getOrCreate(getOrCreate(byFirstLabel, firstValue, createSeries), secondValue, () => ({ calls: 0 })).calls += 1
    },
    text() {
      const samples = [...byFirstLabel].flatMap(([firstValue, bySecondLabel]) =>
        [...bySecondLabel].map(
          ([secondValue, { calls }]): Sample => [{ [first]: firstValue, [second]: secondValue }, calls],
        ),
      )
      return formatMetric(name, 'counter', help, samples)
    },
  }
}

function getOrCreate<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make()
  known.set(key, made)
  return made
}
