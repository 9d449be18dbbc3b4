/**
 * Counter with two labels, each with few values. It replaces the counter of prom-client, whose cost
 * per call equals the cost of the call's duration histogram.
 *
 * Series with alerts start at 0, because Prometheus sees no increase in a series that starts at 1.
 */
import { formatMetric, type Sample } from './metrics-exposition.ts'

export interface LabelledCounter {
  increment(first: string, second: string): void
  /** Prometheus exposition format. */
  text(): string
}

/** Values of both labels for which series exist from the start. */
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
