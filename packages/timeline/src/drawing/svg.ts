/** SVG elements as data, for React and for files. */
import { escapeMarkup } from '@purser/runtime/text/markup-escaping'

export interface SvgElement {
  readonly tag: string
  readonly attrs: Readonly<Record<string, string | number>>
  readonly children: readonly SvgPart[]
}
export type SvgPart = SvgElement | string

type Attrs = Readonly<Record<string, string | number | undefined>>

export function el(tag: string, attrs: Attrs = {}, ...children: readonly SvgPart[]): SvgElement {
  const definedAttrs = Object.entries(attrs).filter((pair): pair is [string, string | number] => pair[1] !== undefined)
  return { tag, attrs: Object.fromEntries(definedAttrs), children }
}

export function toMarkup(part: SvgPart): string {
  if (typeof part === 'string') return escapeMarkup(part)
  const attrs = Object.entries(part.attrs).map(([name, value]) => ` ${name}="${escapeMarkup(String(value))}"`)
  const inner = part.children.map(toMarkup).join('')
  return inner === '' ? `<${part.tag}${attrs.join('')}/>` : `<${part.tag}${attrs.join('')}>${inner}</${part.tag}>`
}
