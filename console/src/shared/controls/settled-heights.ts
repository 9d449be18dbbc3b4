/** Cards with lists above something else: nothing below them moves when a row comes. */
import { type RefObject, useEffect, useRef } from 'react'

/**
 * Of a page: its cards `.tall` are as high as their rows when all of them are there, and stay so; rows that come later scroll within. In another
 * window they are measured anew. `key`: what the page is about.
 */
export function useSettledHeights(key: string): RefObject<HTMLDivElement | null> {
  const page = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page of the kind has other lists
  useEffect(() => {
    const settle = () => {
      const cards = [...(page.current?.querySelectorAll<HTMLElement>('.tall') ?? [])]
      if (cards.length === 0 || cards.some((card) => card.querySelector(':scope > .waiting') !== null)) return
      for (const card of cards) card.style.height = ''
      const heights = cards.map((card) => card.getBoundingClientRect().height)
      for (const [i, card] of cards.entries()) card.style.height = `${heights[i]}px`
      arriving.disconnect()
    }
    const arriving = new MutationObserver(settle)
    if (page.current !== null) arriving.observe(page.current, { childList: true, subtree: true })
    settle()
    addEventListener('resize', settle)
    return () => {
      arriving.disconnect()
      removeEventListener('resize', settle)
    }
  }, [key])
  return page
}
