/** Text of each cited clause, so that a shared page needs no other document. */
import { escapeMarkup } from '@purser/runtime/text/markup-escaping'
import { CLAUSES, isInterfaceClause, splitClauses, toClausePath } from '../../clauses.ts'
import type { ConformanceReport } from '../conformance-report.ts'

export function renderClauseLink(name: string): string {
  return `<a href="#${escapeMarkup(toAnchor(name))}">${escapeMarkup(name)}</a>`
}

function toAnchor(name: string): string {
  return `of-${toClausePath(name).replace(/^.*#/, '')}`
}

export function renderClauses({ results }: ConformanceReport): string[] {
  const names = [...new Set(results.flatMap(({ clause }) => splitClauses(clause)))].toSorted()
  if (names.length === 0) return []
  return [
    '<section id="clauses" aria-labelledby="h-clauses">',
    '<h2 id="h-clauses">The clauses</h2>',
    '<dl>',
    ...names.map(
      (name) => `<dt id="${escapeMarkup(toAnchor(name))}">${escapeMarkup(name)}</dt><dd>${renderClauseText(name)}</dd>`,
    ),
    '</dl>',
    '</section>',
  ]
}

function renderClauseText(name: string): string {
  const place = `<code>docs/reference/${escapeMarkup(toClausePath(name))}</code>`
  if (!isInterfaceClause(name)) return `a decision of this project where the interface is silent: ${place}`
  return `“${escapeMarkup(CLAUSES[name as keyof typeof CLAUSES])}” ${place}`
}
