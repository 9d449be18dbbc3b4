/** Hints on hover, focus and tap, and the message "Copied", in one native popover. */
import { useEffect, useRef } from 'react'

/** Pixels between the card, its target and the edge of the window. */
const GAP = 6

/** The console's only card, which exists as long as the page. */
const hintElements: { card: HTMLElement | null; live: HTMLElement | null } = { card: null, live: null }

function placeCard(card: HTMLElement, about: Element): void {
  const { left, top, bottom } = about.getBoundingClientRect()
  const { width, height } = card.getBoundingClientRect()
  const below = bottom + GAP + height <= innerHeight
  card.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`
  card.style.top = `${below ? bottom + GAP : Math.max(GAP, top - GAP - height)}px`
}

function hideHint(): void {
  if (hintElements.card?.matches(':popover-open')) hintElements.card.hidePopover()
}

export function showHint(about: Element, text: string): void {
  const { card } = hintElements
  if (card === null || text === '') return
  card.textContent = text
  hideHint() // a popover shown anew is above an open dialog
  card.showPopover()
  placeCard(card, about)
}

/** Also for screen readers. */
export function announce(about: Element, text: string): void {
  showHint(about, text)
  if (hintElements.live !== null) hintElements.live.textContent = text
}

/** The pointer is on the part itself, but the focus may be on the link or row around it. */
function findHint(target: EventTarget | null, isFocus: boolean): HTMLElement | null {
  if (!(target instanceof Element)) return null
  const over = target.closest<HTMLElement>('[data-hint]')
  return over ?? (isFocus ? target.querySelector<HTMLElement>('[data-hint]') : null)
}

/** The row selected by keyboard shows its hint. */
export function showRowHint(row: Element): void {
  const part = row.querySelector<HTMLElement>('[data-hint]')
  if (part !== null) showHint(part, part.dataset.hint ?? '')
}

function followPointer(): () => void {
  const over = (event: Event) => {
    const part = findHint(event.target, event.type === 'focusin')
    if (part === null) hideHint()
    else showHint(part, part.dataset.hint ?? '')
  }
  const key = ({ key: pressed }: KeyboardEvent) => pressed === 'Escape' && hideHint()
  const events = ['pointerover', 'focusin'] as const
  for (const name of events) addEventListener(name, over)
  addEventListener('keydown', key)
  addEventListener('scroll', hideHint, { capture: true, passive: true })
  return () => {
    for (const name of events) removeEventListener(name, over)
    removeEventListener('keydown', key)
    removeEventListener('scroll', hideHint, { capture: true })
  }
}

export function Hints() {
  const card = useRef<HTMLDivElement>(null)
  const live = useRef<HTMLDivElement>(null)
  useEffect(() => {
    Object.assign(hintElements, { card: card.current, live: live.current })
    return followPointer()
  }, [])
  return (
    <>
      <div ref={card} className="hint-card" popover="manual" role="tooltip" />
      <div ref={live} className="vh" aria-live="polite" />
    </>
  )
}
