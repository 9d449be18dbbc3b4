/** What a monitoring system scrapes from a gateway (Prometheus text). No label is unbounded: no player, bet or token. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Outcome } from './handle-call.ts'
import type { Operators } from './operators.ts'

export interface GatewayMetrics {
  called(operatorId: string, outcome: Outcome, seconds: number): void
  text(): Promise<string>
  readonly contentType: string
}

/** Edges at 4 s (no call is begun later) and 5 s (the platform's time-out). */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 4, 5, 10]

export function createGatewayMetrics(operators: Operators, journalLost: () => number): GatewayMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const calls = new Counter({
    name: 'gateway_calls_total',
    help: 'Calls answered; operator "none" is that of calls that were not routed',
    labelNames: ['operator', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'gateway_call_duration_seconds',
    help: 'From the request to the answer',
    labelNames: ['operator'],
    buckets: DURATION_BUCKETS,
    registers,
  })
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
  const counters = new Map<string, { inc(): void }>()
  const histograms = new Map<string, { observe(seconds: number): void }>()
  return {
    called(operator, outcome, seconds) {
      once(counters, `${operator} ${outcome}`, () => calls.labels(operator, outcome)).inc()
      once(histograms, operator, () => duration.labels(operator)).observe(seconds)
    },
    text: () => registry.metrics(),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  }
}

/** Looking labels up for every call costs more than the counting. There are few of them. */
function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make()
  known.set(key, found)
  return found
}
