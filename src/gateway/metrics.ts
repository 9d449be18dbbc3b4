/** What a monitoring system scrapes from a gateway (Prometheus text). No label is unbounded: no player, bet or token. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createCounts } from '../http/counts.ts'
import { createDurations } from '../http/durations.ts'
import type { Measured } from '../runtime/metric-text.ts'
import type { Outcome } from './handle-call.ts'
import type { Operators } from './operators.ts'

export interface GatewayMetrics extends Measured {
  called(operatorId: string, outcome: Outcome, seconds: number): void
}

const WATCHED = { first: ['none'], second: ['wrong_player', 'lost_player', 'gateway_refused'] satisfies Outcome[] }

export function createGatewayMetrics(operators: Operators, journalLost: () => number): GatewayMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const help = 'Calls answered; operator "none" is that of calls that were not routed'
  const calls = createCounts('gateway_calls_total', help, ['operator', 'outcome'], WATCHED)
  const duration = createDurations('gateway_call_duration_seconds', 'From the request to the answer', 'operator')
  new Gauge({
    name: 'gateway_calls_under_way',
    help: 'Calls sent to an operator or waiting for that',
    labelNames: ['operator'],
    registers,
    collect() {
      for (const { operatorId, depth } of operators.depths()) this.set({ operator: operatorId }, depth)
    },
  })
  new Gauge({
    name: 'gateway_journal_lost_calls',
    help: 'Calls since the start that are not in the journal: too many at once, too many of strangers, or no database',
    registers,
    collect() {
      this.set(journalLost())
    },
  })
  return {
    called(operator, outcome, seconds) {
      calls.count(operator, outcome)
      duration.observe(seconds, operator)
    },
    text: async () => (await registry.metrics()) + calls.text() + duration.text(),
  }
}
