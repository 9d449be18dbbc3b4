/** The clauses that a page cites, in the words of the interface, at its end: a page that is passed on has no other one beside it. */
import { escaped } from '../../runtime/markup.ts'
import { CLAUSES, clausesOf, isOfTheInterface, placeOf } from '../clauses.ts'
import type { Report } from './report.ts'

export function clauseLink(name: string): string {
  return `<a href="#${escaped(anchorOf(name))}">${escaped(name)}</a>`
}

function anchorOf(name: string): string {
  return `of-${placeOf(name).replace(/^.*#/, '')}`
}

export function clausesHtml({ results }: Report): string[] {
  const names = [...new Set(results.flatMap(({ clause }) => clausesOf(clause)))].toSorted()
  if (names.length === 0) return []
  return [
    '<section id="clauses" aria-labelledby="h-clauses">',
    '<h2 id="h-clauses">The clauses</h2>',
    '<dl>',
    ...names.map((name) => `<dt id="${escaped(anchorOf(name))}">${escaped(name)}</dt><dd>${wordsOf(name)}</dd>`),
    '</dl>',
    '</section>',
  ]
}

function wordsOf(name: string): string {
  const place = `<code>docs/reference/${escaped(placeOf(name))}</code>`
  if (!isOfTheInterface(name)) return `a decision of this project where the interface is silent: ${place}`
  return `“${escaped(CLAUSES[name as keyof typeof CLAUSES])}” ${place}`
}
