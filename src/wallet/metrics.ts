/** What a monitoring system scrapes from a wallet (Prometheus text). No label is unbounded: no player, bet or token. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface WalletMetrics {
  called(operation: string, outcome: string, seconds: number): void
  waited(milliseconds: number): void
  /** Prometheus exposition format. */
  text(): Promise<string>
  readonly contentType: string
}

/** Edges at 4 s and 5 s (the platform's time-out). */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 4, 5, 10]

export function createMetrics(queueDepth: () => number, journalLost: () => number): WalletMetrics {
  const registers = [new Registry()]
  collectDefaultMetrics({ register: registers[0] as Registry })
  const calls = new Counter({
    name: 'wallet_calls_total',
    help: 'Calls answered',
    labelNames: ['operation', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'wallet_call_duration_seconds',
    help: 'From the request to the answer',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS,
    registers,
  })
  const wait = new Histogram({
    name: 'wallet_lane_wait_seconds',
    help: 'Waiting for a batch',
    buckets: DURATION_BUCKETS,
    registers,
  })
  new Gauge({
    name: 'wallet_queue_depth',
    help: 'Calls waiting or being applied',
    registers,
    collect() {
      this.set(queueDepth())
    },
  })
  new Gauge({
    name: 'wallet_journal_lost_calls',
    help: 'Calls since the start that are not in the journal: too many at once, too many of strangers, or no database',
    registers,
    collect() {
      this.set(journalLost())
    },
  })
  const counters = new Map<string, { inc(): void }>()
  const histograms = new Map<string, { observe(seconds: number): void }>()
  return {
    called(operation, outcome, seconds) {
      once(counters, `${operation} ${outcome}`, () => calls.labels(operation, outcome)).inc()
      once(histograms, operation, () => duration.labels(operation)).observe(seconds)
    },
    waited: (milliseconds) => wait.observe(milliseconds / 1_000),
    text: () => (registers[0] as Registry).metrics(),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  }
}

/** Looking labels up for every call costs more than the counting. There are few of them. */
function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make()
  known.set(key, made)
  return made
}
