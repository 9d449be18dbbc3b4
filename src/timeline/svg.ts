/** A picture as data: React draws it in the console, `toMarkup` writes it into files. */
import { escaped } from '../runtime/markup.ts'

export interface Element {
  readonly tag: string
  readonly attrs: Readonly<Record<string, string | number>>
  readonly children: readonly Part[]
}
export type Part = Element | string

type Attrs = Readonly<Record<string, string | number | undefined>>

export function el(tag: string, attrs: Attrs = {}, ...children: readonly Part[]): Element {
  const said = Object.entries(attrs).filter((pair): pair is [string, string | number] => pair[1] !== undefined)
  return { tag, attrs: Object.fromEntries(said), children }
}

export function toMarkup(part: Part): string {
  if (typeof part === 'string') return escaped(part)
  const attrs = Object.entries(part.attrs).map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
  const inner = part.children.map(toMarkup).join('')
  return inner === '' ? `<${part.tag}${attrs.join('')}/>` : `<${part.tag}${attrs.join('')}>${inner}</${part.tag}>`
}
