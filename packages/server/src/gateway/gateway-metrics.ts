/**
 * Prometheus metrics of the gateway. Every label is bounded: no label is a player, bet or token.
 */
import { createHistogram } from '../core/observability/histogram.ts'
import { createLabelledCounter } from '../core/observability/labelled-counter.ts'
import { formatDroppedCalls, formatMetric, type MetricSource } from '../core/observability/metrics-exposition.ts'
import type { Operators } from './operators/operators.ts'
import type { GatewayOutcome } from './wire/gateway-call-handler.ts'

export interface GatewayMetrics extends MetricSource {
  recordCall(operatorId: string, outcome: GatewayOutcome, seconds: number): void
}

const INITIAL_SERIES = {
  first: ['none'],
  second: ['wrong_player', 'lost_player', 'gateway_refused'] satisfies GatewayOutcome[],
}

export function createGatewayMetrics(operators: Operators, journalLost: () => number): GatewayMetrics {
  const help = 'Answered calls; operator "none" counts calls that were not routed'
  const calls = createLabelledCounter('gateway_calls_total', help, ['operator', 'outcome'], INITIAL_SERIES)
  const duration = createHistogram(
    'gateway_call_duration_seconds',
    'Duration from the request to the response',
    'operator',
  )
  const inFlight = () =>
    formatMetric(
      'gateway_calls_in_flight',
      'gauge',
      'Calls that are waiting for an operator or being answered by it',
      operators.depths().map(({ operatorId, depth }) => [{ operator: operatorId }, depth]),
    )
  const dropped = () => formatDroppedCalls('gateway_journal_dropped_calls', journalLost())
  return {
    recordCall(operator, outcome, seconds) {
      calls.increment(operator, outcome)
      duration.observe(seconds, operator)
    },
    text: () => inFlight() + dropped() + calls.text() + duration.text(),
  }
}
