/**
 * List in pages with the button "More", filters in the page address, and the keys j, k and Enter.
 */
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { LiveMeta } from '../../app/live-updates.tsx'
import { isTyping } from '../../app/page-shell.tsx'
import { type ListPage, useLiveList } from '../data/live-list.ts'
import { showRowHint } from './hint-card.tsx'
import { EmptyState, ErrorMessage, LoadingSkeleton, StaleNotice } from './page-states.tsx'

export interface ListColumn<T> {
  readonly name: string
  readonly isNumber?: boolean
  /** A column that is blank in all rows is omitted. */
  isBlank?(row: T): boolean
  show(row: T): ReactNode
}

interface Props<T, P> {
  /** Excludes `after`. */
  readonly path: string
  readonly columns: readonly ListColumn<T>[]
  readonly empty: ReactNode
  keyOf(row: T): string
  /** The target of Enter or a click. */
  linkOf?(row: T): string | undefined
  /** The changes that affect the list. */
  readonly live?: LiveMeta | undefined
  /** Rows below the loaded ones, which may not be all. */
  foot?: ((rows: readonly T[], columns: number, isAll: boolean) => ReactNode) | undefined
  /** The list scrolls in a card of fixed height and loads pages automatically. */
  readonly goesOn?: boolean
  /** The content after the last row, or instead of `empty`. Undefined without content. */
  end?(last: P): ReactNode
}

export function PagedList<T, P extends ListPage<T> = ListPage<T>>(props: Props<T, P>) {
  const { path, empty, keyOf, linkOf, live, foot, goesOn = false } = props
  const [isAtRow, setAtRow] = useState(false)
  const {
    asked: result,
    fault,
    rows,
    hasLeft,
    fresh,
    show,
    place,
  } = useLiveList<T, P>({ path, keyOf, live, isFrozen: isAtRow })
  const at = useLinkKeys(linkOf === undefined ? 0 : rows.length, (i) => rows[i] && linkOf?.(rows[i]))
  useEffect(() => setAtRow(at >= 0), [at])
  const columns = props.columns.filter(({ isBlank }) => !(isBlank && rows.every(isBlank)))
  if (result.isPending) return <LoadingSkeleton />
  if (result.data === undefined) return <ErrorMessage error={result.error} again={() => result.refetch()} />
  const last = result.hasNextPage ? undefined : result.data.pages.at(-1)
  const end = last && props.end?.(last)
  if (rows.length === 0 && !result.hasNextPage)
    return (
      <>
        <StaleNotice of={fault} />
        {end ?? empty}
      </>
    )
  return (
    <>
      <StaleNotice of={fault} />
      <NewRowsButton text={fresh} show={show} />
      <div className="scroll" ref={place} {...(goesOn && SCROLLED)}>
        <table className="list">
          <thead>
            <tr>
              {columns.map(({ name, isNumber }) => (
                <th key={name} className={isNumber ? 'num' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={keyOf(row)} className={keyedClass(i === at) ?? (hasLeft(keyOf(row)) ? 'left' : undefined)}>
                {columns.map(({ name, isNumber, show: cell }, column) => (
                  <td key={name} className={isNumber ? 'num' : undefined}>
                    {column === 0 && hasLeft(keyOf(row)) ? <span title="No longer in this list">Gone</span> : cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {foot !== undefined && <tfoot>{foot(rows, columns.length, !result.hasNextPage)}</tfoot>}
        </table>
        {goesOn && <InfiniteScroll of={result} within={place} />}
        {goesOn && end}
      </div>
      {!goesOn && <MoreButton of={result} />}
      {!goesOn && end}
    </>
  )
}

/** A scrolled list must be reachable by keyboard. */
const SCROLLED = { role: 'group', 'aria-label': 'Rows', tabIndex: 0 }

/** The button floats over the list, which must be its next sibling, so that nothing moves. */
export function NewRowsButton({ text, show }: { text: string | undefined; show(): void }) {
  const place = useRef<HTMLDivElement>(null)
  const below = useBelowHeads(place, text !== undefined)
  return (
    <div
      className={below === undefined ? 'fresh' : 'fresh below'}
      style={{ '--bar': `${below?.bar}px`, '--heads': `${below?.heads}px` } as CSSProperties}
      role="status"
      ref={place}
    >
      {text !== undefined && (
        <button type="button" onClick={show}>
          <span aria-hidden="true">↑</span> {text}
        </button>
      )}
    </div>
  )
}

/** The part of the button above the list. */
const ABOVE_PX = 22

/**
 * Undefined if the button fits above the list. Else the bottom of the top bar and the height of the
 * column heads, in pixels.
 */
function useBelowHeads(place: RefObject<HTMLDivElement | null>, isShown: boolean) {
  const [observed, setObserved] = useState('')
  useEffect(() => {
    if (!isShown) return
    const measure = () => {
      const list = place.current?.nextElementSibling
      const bar = document.querySelector('.bar')?.getBoundingClientRect().bottom ?? 0
      const top = list?.getBoundingClientRect().top ?? 0
      const heads = (list?.querySelector('thead')?.getBoundingClientRect().bottom ?? top) - top
      setObserved(top - ABOVE_PX < bar ? `${bar} ${heads}` : '')
    }
    measure()
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [place, isShown])
  if (observed === '') return undefined
  const [bar = 0, heads = 0] = observed.split(' ').map(Number)
  return { bar, heads }
}

interface MorePages {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  fetchNextPage(): unknown
}

export function MoreButton({ of: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { of: MorePages }) {
  if (!hasNextPage) return null
  return (
    <div className="more">
      <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchingNextPage ? 'Loading…' : 'More'}
      </button>
    </div>
  )
}

/** The next page is loaded this far before the end. */
const BEFORE_END_PX = 240

function InfiniteScroll({
  of,
  within,
}: {
  of: MorePages & { error: unknown }
  within: RefObject<HTMLDivElement | null>
}) {
  const end = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, fetchNextPage, error } = of
  const mayAsk = hasNextPage && !isFetchingNextPage && error === null
  useEffect(() => {
    if (!mayAsk || end.current === null) return
    const near = new IntersectionObserver(
      (observed) => {
        if (observed.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage()
      },
      { root: within.current, rootMargin: `0px 0px ${BEFORE_END_PX}px` },
    )
    near.observe(end.current)
    return () => near.disconnect()
  }, [mayAsk, fetchNextPage, within])
  if (!hasNextPage) return null
  return (
    <div className="more" ref={end}>
      {error === null || isFetchingNextPage ? (
        <span className="muted small">Loading…</span>
      ) : (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Like `useKeys`, but Enter opens the row's link. */
export function useLinkKeys(
  count: number,
  linkOf: (i: number) => string | undefined,
  more: KeyBindings = KEYS,
): number {
  const [, go] = useLocation()
  return useKeys(
    count,
    (i) => {
      const link = linkOf(i)
      if (link !== undefined) go(link)
    },
    more,
  )
}

export interface KeyBindings {
  readonly down: readonly string[]
  readonly up: readonly string[]
}
const KEYS: KeyBindings = { down: ['j'], up: ['k'] }

/** Only the row selected by keyboard has this class. */
const KEYED = 'at keyed'
export const keyedClass = (isAt: boolean) => (isAt ? KEYED : undefined)

/**
 * The index of the row selected by keyboard, or -1; Enter opens it. Only one list of a page uses
 * the keys.
 */
export function useKeys(count: number, open: (i: number) => void, { down, up }: KeyBindings = KEYS): number {
  const [at, setAt] = useState(-1)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, target } = event
      if (isTyping(target) || event.ctrlKey || event.metaKey || event.altKey) return
      if (down.includes(key)) setAt((now) => Math.min(count - 1, now + 1))
      else if (up.includes(key)) setAt((now) => Math.min(count - 1, Math.max(0, now - 1)))
      else if (key === 'Enter' && target === document.body && at >= 0) open(at)
      else return
      if (key.length > 1) event.preventDefault() // arrows would also scroll the page
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
  useEffect(() => {
    const row = at < 0 ? null : document.querySelector('.keyed')
    row?.scrollIntoView({ block: 'nearest' })
    if (row) showRowHint(row)
  }, [at])
  return at
}

export function EmptyList({ title, children }: { title: string; children?: ReactNode }) {
  return <EmptyState title={title}>{children}</EmptyState>
}
