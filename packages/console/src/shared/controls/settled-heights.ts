/**
 * Fixes the height of each list card when its rows are loaded, so that later rows do not move the
 * content below.
 */
import { type RefObject, useEffect, useRef } from 'react'

/**
 * The `.tall` cards of a page get the height of their rows once all have loaded. Later rows scroll
 * within. A resize measures again. `key` identifies the page's subject.
 */
export function useSettledHeights(key: string): RefObject<HTMLDivElement | null> {
  const page = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has other lists
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
