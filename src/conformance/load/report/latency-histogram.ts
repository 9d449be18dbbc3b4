/**
 * How long calls took, from the time at which they were due. Calls without an answer count with the time until they were given up: left out,
 * they would make a wallet that does not answer look quick.
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

/** Microseconds; what is longer counts as this. */
const LONGEST_US = 600_000_000
const US_PER_MS = 1_000

/** Three figures for what is told in numbers, two (20 kB each) for what is drawn. */
export function createLatencyHistogram(figures: 2 | 3 = 3): RecordableHistogram {
  return createHistogram({ lowest: 1, highest: LONGEST_US, figures })
}

export function recordLatency(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.min(LONGEST_US, Math.max(1, Math.ceil(ms * US_PER_MS))))
}

/** Microseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** Undefined of nothing. */
export function computePercentiles(histogram: RecordableHistogram): Percentiles | undefined {
  if (histogram.count === 0) return undefined
  const at = (percent: number) => Math.min(histogram.percentile(percent), histogram.max)
  return { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: histogram.max }
}

export interface PercentilePoint {
  readonly percent: number
  readonly us: number
}

/** From 0 % towards 100 %, each step half of what is left, down to a single call. */
export function computePercentileCurve(histogram: RecordableHistogram): PercentilePoint[] {
  const points: PercentilePoint[] = []
  for (let left = 100; left * histogram.count >= 50; left *= 0.8) {
    const percent = 100 - left
    points.push({ percent, us: percent === 0 ? histogram.min : histogram.percentile(percent) })
  }
  return [...points, { percent: 100, us: histogram.max }]
}
