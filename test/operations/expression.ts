/** What an expression in PromQL asks for, by Prometheus' own grammar. */
import { parser } from '@prometheus-io/lezer-promql'

export interface Asked {
  /** Where it is no PromQL. */
  readonly faults: readonly string[]
  /** Metrics, each with the labels that it is chosen by. */
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[]
  /** Labels that something is summed by. */
  readonly groups: readonly string[]
}

/** Grafana puts its variables in before it asks. */
export function askedBy(written: string): Asked {
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
