/**
 * Metrics in Prometheus format that are computed at each scrape. Only the metrics of the process
 * itself come from prom-client.
 */

import { cacheFor } from '@purser/runtime/async/single-flight-cache'
import { withTimeout } from '@purser/runtime/async/timeouts'
import { environment } from '@purser/runtime/environment'

/** A part of the answer to /metrics. */
export interface MetricSource {
  text(): string | Promise<string>
  /** The age of metrics that are read from the database. */
  age?(): Sample
}

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | bigint]

export function formatMetric(
  name: string,
  kind: 'gauge' | 'counter',
  help: string,
  samples: readonly Sample[],
): string {
  const lines = samples.map(([labels, value]) => `${name}${formatLabels(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

/** `calls`: calls that the call journal has lost since the start. */
export function formatDroppedCalls(name: string, calls: number): string {
  const help =
    'Calls since the start that the journal lacks: too many at once, too many from unknown callers, or no database'
  return formatMetric(name, 'gauge', help, [[{}, calls]])
}

function formatLabels(labels: Sample[0]): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabelValue(value)}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escapeLabelValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** Adds a label with the source to each sample, and writes each metric once. */
export function mergeMetrics(label: string, texts: ReadonlyMap<string, string>): string {
  const metrics = new Map<string, { head: string; samples: string[] }>()
  for (const [name, text] of texts)
    for (const block of text.split(/^(?=# HELP )/m)) {
      const lines = block.split('\n').filter((line) => line !== '')
      const head = lines.filter((line) => line.startsWith('#')).join('\n')
      const metric = metrics.get(head) ?? { head, samples: [] }
      metrics.set(head, metric)
      for (const line of lines) if (!line.startsWith('#')) metric.samples.push(addLabel(line, label, name))
    }
  return [...metrics.values()].map(({ head, samples }) => `${[head, ...samples].join('\n')}\n`).join('')
}

function addLabel(sample: string, label: string, value: string): string {
  const end = sample.search(/[{ ]/)
  const rest = sample.slice(end)
  const labels = rest.startsWith('{') ? `,${rest.slice(1)}` : `}${rest}`
  return `${sample.slice(0, end)}{${label}="${escapeLabelValue(value)}"${labels}`
}

/** Milliseconds for which a database result is cached, because any caller may scrape, and often. */
const DATABASE_METRIC_TTL_MS = 5_000

/** Milliseconds that a scrape or probe waits for the database; its caller waits a few seconds. */
export const DATABASE_WAIT_MS = 1_000

export interface CachedMetric extends MetricSource {
  age(): Sample
}

/**
 * Metrics of `about` from the database. One query runs at a time, and scrapes do not wait long for
 * it: they get the previous result, which is empty at first. Its age is a metric too, so that an
 * old result is not mistaken for a current one.
 */
export function createDatabaseMetric(
  about: string,
  query: () => Promise<string>,
  now: () => number = monotonicNow,
): CachedMetric {
  let last = { text: '', at: now() }
  const refresh = cacheFor(
    async () => {
      const text = await query()
      last = { text, at: now() }
    },
    DATABASE_METRIC_TTL_MS,
    now,
  )
  return {
    async text() {
      await withTimeout(refresh(), DATABASE_WAIT_MS, () => {}).catch(() => {})
      return last.text
    },
    age: () => [{ about }, Math.max(0, now() - last.at) / MS_PER_SECOND],
  }
}

const MS_PER_SECOND = 1_000
const monotonicNow = () => environment.monotonicNow()

/** Before the first result the age is the time since the start of the server. */
export function formatMetricAges(sources: readonly MetricSource[]): string {
  const ages = sources.flatMap(({ age }) => (age === undefined ? [] : [age()]))
  const help = 'Age of the metrics that are read from the database, by subject'
  return ages.length === 0 ? '' : formatMetric('purser_database_metrics_age_seconds', 'gauge', help, ages)
}
