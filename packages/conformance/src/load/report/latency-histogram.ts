/**
 * Latency of calls, measured from the time at which each call was due.
 *
 * A call without an answer counts until its time-out. If such calls were omitted, a wallet that
 * does not answer would look fast.
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

/** Microseconds. A longer latency counts as this value. */
const LONGEST_US = 600_000_000
const US_PER_MS = 1_000

/** Three significant figures for numbers in the report, two for charts (20 kB each). */
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

/** Undefined for an empty histogram. */
export function computePercentiles(histogram: RecordableHistogram): Percentiles | undefined {
  if (histogram.count === 0) return undefined
  const at = (percent: number) => Math.min(histogram.percentile(percent), histogram.max)
  return { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: histogram.max }
}

export interface PercentilePoint {
  readonly percent: number
  readonly us: number
}

/**
 * Points from 0 % to 100 %. Each step covers a fifth of the remaining calls, until less than one
 * call remains.
 */
export function computePercentileCurve(histogram: RecordableHistogram): PercentilePoint[] {
  const points: PercentilePoint[] = []
  for (let left = 100; left * histogram.count >= 50; left *= 0.8) {
    const percent = 100 - left
    points.push({ percent, us: percent === 0 ? histogram.min : histogram.percentile(percent) })
  }
  return [...points, { percent: 100, us: histogram.max }]
}
