/** Metrics of a wallet in Prometheus format. Labels are bounded: no player, bet or token. */
import { OPERATIONS } from '@purser/protocol/operation'
import { createHistogram } from '../core/observability/histogram.ts'
import { createLabelledCounter } from '../core/observability/labelled-counter.ts'
import { formatDroppedCalls, formatMetric, type MetricSource } from '../core/observability/metrics-exposition.ts'
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
  const calls = createLabelledCounter('wallet_calls_total', 'Calls answered', ['operation', 'outcome'], PRESET_LABELS)
  const duration = createHistogram(
    'wallet_call_duration_seconds',
    'Duration from the request to the response',
    'operation',
  )
  let fastPathCalls = 0
  // Prometheus sees no increase if a series starts at 1
  const anomalies = new Map(ANOMALIES.map((anomaly) => [anomaly, 0]))
  const wait = createHistogram('wallet_queue_wait_seconds', 'Time that calls waited for a batch')
  const formatOwn = () => [
    formatMetric(
      'wallet_fast_path_calls_total',
      'counter',
      'Calls that the fast path applied; the rules path decided all others',
      [[{}, fastPathCalls]],
    ),
    formatMetric(
      'wallet_anomalies_total',
      'counter',
      'Calls that contradict their bet or themselves; the list of anomalies shows each',
      [...anomalies].map(([anomaly, count]) => [{ anomaly }, count]),
    ),
    formatMetric('wallet_queue_depth', 'gauge', 'Calls waiting or being applied', [[{}, queueDepth()]]),
    formatDroppedCalls('wallet_journal_dropped_calls', journalLost()),
    formatMetric(
      'wallet_webhooks',
      'gauge',
      'Webhooks by state: ok, failing, warned (failing for a day, disabled after some more days), disabled',
      Object.entries(webhookStates()).map(([state, count]) => [{ state }, count]),
    ),
  ]
  return {
    observeCall(operation, outcome, seconds) {
      calls.increment(operation, outcome)
      duration.observe(seconds, operation)
    },
    observeWait: (milliseconds) => wait.observe(milliseconds / 1_000),
    countFastPath(calls) {
      fastPathCalls += calls
    },
    countAnomaly: (name) => void anomalies.set(name, (anomalies.get(name) ?? 0) + 1),
    text: () => [...formatOwn(), calls.text(), duration.text(), wait.text()].join(''),
  }
}
