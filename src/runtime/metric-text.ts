/** Metrics as Prometheus reads them, where prom-client would be the longer way: a few samples that are known when somebody asks. */
import { inTime } from './in-time.ts'
import { remembered } from './remembered.ts'
import { world } from './world.ts'

/** A part of what a server answers at /metrics. */
export interface Measured {
  text(): string | Promise<string>
  /** Of what the database tells: how old it is. */
  age?(): Sample
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

/** What several tell in one text: each sample with the name of who tells it as a label, each metric once. */
export function joinMetrics(label: string, texts: ReadonlyMap<string, string>): string {
  const metrics = new Map<string, { head: string; samples: string[] }>()
  for (const [name, text] of texts)
    for (const block of text.split(/^(?=# HELP )/m)) {
      const lines = block.split('\n').filter((line) => line !== '')
      const head = lines.filter((line) => line.startsWith('#')).join('\n')
      const metric = metrics.get(head) ?? { head, samples: [] }
      metrics.set(head, metric)
      for (const line of lines) if (!line.startsWith('#')) metric.samples.push(withLabel(line, label, name))
    }
  return [...metrics.values()].map(({ head, samples }) => `${[head, ...samples].join('\n')}\n`).join('')
}

function withLabel(sample: string, label: string, value: string): string {
  const end = sample.search(/[{ ]/)
  const rest = sample.slice(end)
  const labels = rest.startsWith('{') ? `,${rest.slice(1)}` : `}${rest}`
  return `${sample.slice(0, end)}{${label}="${escaped(value)}"${labels}`
}

/** Milliseconds for which an answer of the database holds: a scrape needs no key. */
const TOLD_MS = 5_000

/** Milliseconds that a scrape or a probe waits for the database: those who ask give up after a few seconds, and then learn nothing. */
export const TOLD_WITHIN_MS = 1_000

export interface Told extends Measured {
  age(): Sample
}

/**
 * What the database tells of `about`. A question goes on beside the scrapes, one at a time, and no scrape waits for it for long: it gets
 * what was told last, which is nothing before the first answer. How old that is, is a metric too, so that nobody takes it for news.
 */
export function toldByDatabase(about: string, ask: () => Promise<string>, now: () => number = monotonic): Told {
  let last = { text: '', at: now() }
  const told = remembered(
    async () => {
      const text = await ask()
      last = { text, at: now() }
    },
    TOLD_MS,
    now,
  )
  return {
    async text() {
      await inTime(told(), TOLD_WITHIN_MS, () => {}).catch(() => {})
      return last.text
    },
    age: () => [{ about }, Math.max(0, now() - last.at) / MS_PER_SECOND],
  }
}

const MS_PER_SECOND = 1_000
const monotonic = () => world.elapsed()

/** Before the first answer the age is that of the server. */
export function agesText(measured: readonly Measured[]): string {
  const ages = measured.flatMap(({ age }) => (age === undefined ? [] : [age()]))
  const help = 'How old is what the database has told, by what it is about'
  return ages.length === 0 ? '' : metricText('purser_database_answer_age_seconds', 'gauge', help, ages)
}
