/** Finds the metrics and labels that a PromQL expression uses, with Prometheus' own grammar. */
import { parser } from '@prometheus-io/lezer-promql'

export interface ExpressionParts {
  /** Parts that are not valid PromQL. */
  readonly faults: readonly string[]
  /** Metrics, each with the labels of its selector. */
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[]
  /** Labels of `by (…)` clauses. */
  readonly groups: readonly string[]
}

/** Grafana replaces its variables before it queries. */
export function askedBy(written: string): ExpressionParts {
  const expression = written.replaceAll('$__rate_interval', '5m')
  const faults: string[] = []
  const metrics: { name: string; labels: string[] }[] = []
  const groups: string[] = []
  let isGroup = false
  parser.parse(expression).iterate({
    enter({ name, type, from, to }) {
      const text = expression.slice(from, to)
      if (type.isError) faults.push(`at ${from}: ${expression}`)
      if (name === 'GroupingLabels') isGroup = true
      if (name === 'Identifier') metrics.push({ name: text, labels: [] })
      if (name === 'LabelName') (isGroup ? groups : (metrics.at(-1)?.labels ?? faults)).push(text)
    },
    leave({ name }) {
      if (name === 'GroupingLabels') isGroup = false
    },
  })
  return { faults, metrics, groups }
}
