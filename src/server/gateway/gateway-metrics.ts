/**
 * Prometheus metrics of the gateway. Every label is bounded: no label is a player, bet or token.
 */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createHistogram } from '../core/observability/histogram.ts'
import { createLabelledCounter } from '../core/observability/labelled-counter.ts'
import type { MetricSource } from '../core/observability/metrics-exposition.ts'
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
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const help = 'Answered calls; operator "none" counts calls that were not routed'
  const calls = createLabelledCounter('gateway_calls_total', help, ['operator', 'outcome'], INITIAL_SERIES)
  const duration = createHistogram(
    'gateway_call_duration_seconds',
    'Duration from the request to the response',
    'operator',
  )
  new Gauge({
    name: 'gateway_calls_in_flight',
    help: 'Calls that are waiting for an operator or being answered by it',
    labelNames: ['operator'],
    registers,
    collect() {
      for (const { operatorId, depth } of operators.depths()) this.set({ operator: operatorId }, depth)
    },
  })
  new Gauge({
    name: 'gateway_journal_dropped_calls',
    help: 'Calls since the start that the journal lacks: too many at once, too many from unknown callers, or no database',
    registers,
    collect() {
      this.set(journalLost())
    },
  })
  return {
    recordCall(operator, outcome, seconds) {
      calls.increment(operator, outcome)
      duration.observe(seconds, operator)
    },
    text: async () => (await registry.metrics()) + calls.text() + duration.text(),
  }
}
