/** Metrics as Prometheus reads them, where prom-client would be the longer way: a few samples that are known when somebody asks. */
import { inTime } from './in-time.ts'
import { remembered } from './remembered.ts'

/** A part of what a server answers at /metrics. */
export interface Measured {
  text(): string | Promise<string>
}

/** Labels, and the value. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | bigint]

export function metricText(name: string, kind: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labelsOf(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

function labelsOf(labels: Sample[0]): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** Milliseconds for which an answer of the database holds: a scrape needs no key. */
const TOLD_MS = 5_000

/** Milliseconds that a scrape or a probe waits for the database: those who ask give up after a few seconds, and then learn nothing. */
export const TOLD_WITHIN_MS = 1_000

/** What the database tells. Nothing while it fails or is silent: all other metrics are needed most then. */
export function toldByDatabase(ask: () => Promise<string>, now: () => number = monotonic): Measured {
  const told = remembered(ask, TOLD_MS, now)
  return { text: () => inTime(told(), TOLD_WITHIN_MS, () => '').catch(() => '') }
}

const monotonic = () => performance.now()
