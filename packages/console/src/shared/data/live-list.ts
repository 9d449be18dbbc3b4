/**
 * Live list, whose shown rows stay in place.
 *
 * New rows are counted and shown on request. They appear automatically while the top of the list is
 * visible and no row is in use. A shown row always has its current values.
 */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { encodeQueryPart, getJson } from '../../app/console-api.ts'
import type { LiveMeta } from '../../app/live-updates.tsx'

export interface ListPage<T> {
  readonly data: readonly T[]
  readonly next: string | null
}

interface LiveListOptions<T> {
  /** Excludes `after`. */
  readonly path: string
  keyOf(row: T): string
  /** The changes that affect the list. Undefined for a list that is loaded once. */
  readonly live?: LiveMeta | undefined
  /** A row is in use, so nothing moves. */
  readonly isFrozen?: boolean
}

export function useLiveList<T, P extends ListPage<T> = ListPage<T>>({
  path,
  keyOf,
  live,
  isFrozen = false,
}: LiveListOptions<T>) {
  const client = useQueryClient()
  const [list, head] = [
    ['list', path],
    ['head', path],
  ]
  const result = useInfiniteQuery({
    queryKey: list,
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam === '' ? '' : `${path.includes('?') ? '&' : '?'}after=${encodeQueryPart(pageParam)}`
      const page = await getJson<P>(path + after, signal)
      if (pageParam === '') client.setQueryData(head, page)
      return page
    },
    initialPageParam: '',
    getNextPageParam: (page: P) => page.next,
    structuralSharing: false,
  })
  const pages = result.data?.pages ?? []
  const newest = useQuery({
    queryKey: head,
    queryFn: ({ signal }) => getJson<P>(path, signal),
    enabled: live !== undefined && result.data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    ...(live && { meta: live }),
  })
  const place = useRef<HTMLDivElement>(null)
  const isAtTop = useAtTop(place)
  const shown = pages.flatMap(({ data }) => data)
  const now = newest.data?.data ?? []
  const byKey = new Map(now.map((row) => [keyOf(row), row]))
  const known = new Set(shown.map(keyOf))
  const show = () => {
    if (newest.data !== undefined) client.setQueryData(list, { pages: [newest.data], pageParams: [''] })
  }
  const isOther = newest.data !== undefined && result.data !== undefined && newest.data !== pages[0]
  const mayMove = isAtTop && !isFrozen && pages.length === 1
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` is of this render
  useEffect(() => {
    if (isOther && mayMove) show()
  }, [isOther, mayMove, newest.data])
  return {
    asked: result,
    /** The query that failed, if one did. */
    fault: result.error === null && live !== undefined ? newest : result,
    rows: shown.map((row) => byKey.get(keyOf(row)) ?? row),
    /** True for a row that no longer belongs to the list. It stays while the list is in use. */
    hasLeft: findLeftRows(mayMove ? [] : shown.map(keyOf), now.map(keyOf), newest.data?.next === null),
    fresh: mayMove ? undefined : freshText(now.map(keyOf), known),
    show,
    place,
  }
}

/** Rows after the last one of the newest page may be on the next page. */
function findLeftRows(shown: readonly string[], now: readonly string[], isAll: boolean): (key: string) => boolean {
  const there = new Set(now)
  const last = isAll ? shown.length : shown.findLastIndex((key) => there.has(key))
  const left = new Set(shown.slice(0, Math.max(0, last)).filter((key) => !there.has(key)))
  return (key) => left.has(key)
}

/**
 * Counts rows before the last known one. Rows after it are older, and moved up when others left.
 */
function freshText(now: readonly string[], known: ReadonlySet<string>): string | undefined {
  const last = now.findLastIndex((key) => known.has(key))
  const count = (last === -1 ? now : now.slice(0, last)).filter((key) => !known.has(key)).length
  if (count === 0) return undefined
  return last === -1 && known.size > 0 ? `${count}+ new` : `${count} new`
}

/** True if the top of the list is visible and the pointer is not over it. */
function useAtTop(place: RefObject<HTMLDivElement | null>): boolean {
  const [isAtTop, setAtTop] = useState(true)
  useEffect(() => {
    const isOver = () => place.current?.matches(':hover') ?? false
    const isTop = () => (place.current?.getBoundingClientRect().top ?? 0) >= 0 && (place.current?.scrollTop ?? 0) === 0
    const update = () => setAtTop(!isOver() && isTop())
    const element = place.current
    // `capture` includes the scrolling of the list itself
    addEventListener('scroll', update, { passive: true, capture: true })
    element?.addEventListener('pointerenter', update)
    element?.addEventListener('pointerleave', update)
    update()
    return () => {
      removeEventListener('scroll', update, { capture: true })
      element?.removeEventListener('pointerenter', update)
      element?.removeEventListener('pointerleave', update)
    }
  })
  return isAtTop
}
