/** Metrics of a wallet in Prometheus format. Labels are bounded: no player, bet or token. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { OPERATIONS } from '../../protocol/operation.ts'
import { createHistogram } from '../core/observability/histogram.ts'
import { createLabelledCounter } from '../core/observability/labelled-counter.ts'
import type { MetricSource } from '../core/observability/metrics-exposition.ts'
import { ANOMALIES, type Anomaly } from './rules/decision.ts'

export interface WalletMetrics extends MetricSource {
  observeCall(operation: string, outcome: string, seconds: number): void
  observeWait(milliseconds: number): void
  countFastPath(calls: number): void
  countAnomaly(name: Anomaly): void
}

const PRESET_LABELS = { first: [...Object.keys(OPERATIONS), 'unknown'], second: ['system_error', 'bad_signature'] }

export function createWalletMetrics(
  queueDepth: () => number,
  journalLost: () => number,
  webhookStates: () => Readonly<Record<string, number>>,
): WalletMetrics {
  const registers = [new Registry()]
  collectDefaultMetrics({ register: registers[0] as Registry })
  const calls = createLabelledCounter('wallet_calls_total', 'Calls answered', ['operation', 'outcome'], PRESET_LABELS)
  const duration = createHistogram(
    'wallet_call_duration_seconds',
    'Duration from the request to the response',
    'operation',
  )
  const taken = new Counter({
    name: 'wallet_fast_path_calls_total',
    help: 'Calls that the fast path applied; the rules path decided all others',
    registers,
  })
  const anomalies = new Counter({
    name: 'wallet_anomalies_total',
    help: 'Calls that contradict their bet or themselves; the list of anomalies shows each',
    labelNames: ['anomaly'],
    registers,
  })
  // Prometheus sees no increase if a series starts at 1
  for (const anomaly of ANOMALIES) anomalies.inc({ anomaly }, 0)
  const wait = createHistogram('wallet_queue_wait_seconds', 'Time that calls waited for a batch')
  new Gauge({
    name: 'wallet_queue_depth',
    help: 'Calls waiting or being applied',
    registers,
    collect() {
      this.set(queueDepth())
    },
  })
  new Gauge({
    name: 'wallet_journal_dropped_calls',
    help: 'Calls since the start that the journal lacks: too many at once, too many from unknown callers, or no database',
    registers,
    collect() {
      this.set(journalLost())
    },
  })
  new Gauge({
    name: 'wallet_webhooks',
    help: 'Webhooks by state: ok, failing, warned (failing for a day, disabled after some more days), disabled',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(webhookStates())) this.labels(state).set(count)
    },
  })
  return {
    observeCall(operation, outcome, seconds) {
      calls.increment(operation, outcome)
      duration.observe(seconds, operation)
    },
    observeWait: (milliseconds) => wait.observe(milliseconds / 1_000),
    countFastPath: (calls) => taken.inc(calls),
    countAnomaly: (name) => anomalies.inc({ anomaly: name }),
    text: async () => (await (registers[0] as Registry).metrics()) + calls.text() + duration.text() + wait.text(),
  }
}
