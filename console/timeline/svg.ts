/** A picture as data: React draws it in the console, `toMarkup` writes it into files. */

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

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones that XML cannot hold
const UNHOLDABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Whatever a bet carries was written by strangers: in markup it stays text. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(UNHOLDABLE, '\ufffd')
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}

export function toMarkup(part: Part): string {
  if (typeof part === 'string') return escaped(part)
  const attrs = Object.entries(part.attrs).map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
  const inner = part.children.map(toMarkup).join('')
  return inner === '' ? `<${part.tag}${attrs.join('')}/>` : `<${part.tag}${attrs.join('')}>${inner}</${part.tag}>`
}
