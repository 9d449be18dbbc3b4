/** Renders an SVG picture from data. A click or Enter on a part with an id selects that part. */

import type { SvgElement, SvgPart } from '@purser/timeline/drawing/svg'
import { createElement, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react'

const NAMES: Readonly<Record<string, string>> = { class: 'className', tabindex: 'tabIndex' }

export function Picture({ of, onChoose }: { of: SvgElement; onChoose(id: string): void }) {
  const choose = (target: EventTarget) => {
    const id =
      target instanceof globalThis.Element ? target.closest('[data-moment]')?.getAttribute('data-moment') : undefined
    if (id) onChoose(id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    choose(event.target)
  }
  const onClick = (event: MouseEvent) => choose(event.target)
  return renderPart(of, 0, { onClick, onKeyDown })
}

function renderPart(part: SvgPart, key: number, more: object = {}): ReactNode {
  if (typeof part === 'string') return part
  const attrs = Object.fromEntries(Object.entries(part.attrs).map(([name, value]) => [attributeName(name), value]))
  return createElement(part.tag, { key, ...attrs, ...more }, ...part.children.map((child, i) => renderPart(child, i)))
}

function attributeName(name: string): string {
  if (name.startsWith('data-') || name.startsWith('aria-')) return name
  return NAMES[name] ?? name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
