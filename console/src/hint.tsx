/** What is said beside something: more of it on hover, on focus and on a tap, and that it was copied. One native popover for all of it. */
import { useEffect, useRef } from 'react'

/** Pixels between the card and what it is about, and the edge of the window. */
const GAP = 6

/** Of this console's one card, which is there as long as the page. */
const shown: { card: HTMLElement | null; live: HTMLElement | null } = { card: null, live: null }

function place(card: HTMLElement, about: Element): void {
  const { left, top, bottom } = about.getBoundingClientRect()
  const { width, height } = card.getBoundingClientRect()
  const below = bottom + GAP + height <= innerHeight
  card.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`
  card.style.top = `${below ? bottom + GAP : Math.max(GAP, top - GAP - height)}px`
}

function hide(): void {
  if (shown.card?.matches(':popover-open')) shown.card.hidePopover()
}

export function hintAt(about: Element, text: string): void {
  const { card } = shown
  if (card === null || text === '') return
  card.textContent = text
  hide() // shown anew it stands over a window that was opened meanwhile
  card.showPopover()
  place(card, about)
}

/** Aloud too, for whoever does not see the card. */
export function say(about: Element, text: string): void {
  hintAt(about, text)
  if (shown.live !== null) shown.live.textContent = text
}

/** A pointer is over the part itself; the focus may be on the link or row around it. */
function hintOf(target: EventTarget | null, isFocus: boolean): HTMLElement | null {
  if (!(target instanceof Element)) return null
  const over = target.closest<HTMLElement>('[data-hint]')
  return over ?? (isFocus ? target.querySelector<HTMLElement>('[data-hint]') : null)
}

/** The row at which the keys are has its card too. */
export function hintIn(row: Element): void {
  const part = row.querySelector<HTMLElement>('[data-hint]')
  if (part !== null) hintAt(part, part.dataset.hint ?? '')
}

function follow(): () => void {
  const over = (event: Event) => {
    const part = hintOf(event.target, event.type === 'focusin')
    if (part === null) hide()
    else hintAt(part, part.dataset.hint ?? '')
  }
  const key = ({ key: pressed }: KeyboardEvent) => pressed === 'Escape' && hide()
  const events = ['pointerover', 'focusin'] as const
  for (const name of events) addEventListener(name, over)
  addEventListener('keydown', key)
  addEventListener('scroll', hide, { capture: true, passive: true })
  return () => {
    for (const name of events) removeEventListener(name, over)
    removeEventListener('keydown', key)
    removeEventListener('scroll', hide, { capture: true })
  }
}

export function Hints() {
  const card = useRef<HTMLDivElement>(null)
  const live = useRef<HTMLDivElement>(null)
  useEffect(() => {
    Object.assign(shown, { card: card.current, live: live.current })
    return follow()
  }, [])
  return (
    <>
      <div ref={card} className="hint-card" popover="manual" role="tooltip" />
      <div ref={live} className="vh" aria-live="polite" />
    </>
  )
}
