/** Metrics of console sign-ins, by outcome. */
import { formatMetric, type MetricSource } from '../../observability/metrics-exposition.ts'

const OUTCOMES = ['signed_in', 'signed_out', 'refused', 'locked'] as const

export interface SignInMetrics extends MetricSource {
  count(outcome: (typeof OUTCOMES)[number]): void
}

export function createSignInMetrics(): SignInMetrics {
  const counts = new Map(OUTCOMES.map((outcome) => [outcome, 0]))
  return {
    count: (outcome) => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
    text: () =>
      formatMetric(
        'purser_console_sign_ins_total',
        'counter',
        'Sign-ins and sign-outs of the console, wrong passwords, and wrong passwords that locked a name for their address',
        [...counts].map(([outcome, count]) => [{ outcome }, count] as const),
      ),
  }
}
