/** A list as pages with "more", its filters in the address, and j, k and Enter to go through it. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { read } from './api.ts'
import { Empty, Fault, Stale, Waiting } from './parts.tsx'
import { isTyping } from './shell.tsx'

interface Page<T> {
  readonly data: readonly T[]
  readonly next: string | null
}

export interface Column<T> {
  readonly name: string
  readonly isNumber?: boolean
  show(row: T): ReactNode
}

interface Props<T> {
  /** Without `after`. */
  readonly path: string
  readonly columns: readonly Column<T>[]
  readonly empty: ReactNode
  keyOf(row: T): string
  /** Where Enter or a click leads. */
  linkOf?(row: T): string | undefined
  readonly every?: number | undefined
}

export function List<T>({ path, columns, empty, keyOf, linkOf, every }: Props<T>) {
  const asked = useInfiniteQuery({
    queryKey: ['list', path],
    queryFn: ({ pageParam, signal }) => {
      const after = pageParam === '' ? '' : `${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(pageParam)}`
      return read<Page<T>>(path + after, signal)
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    refetchInterval: (query) => (every !== undefined && (query.state.data?.pages.length ?? 0) < 2 ? every : false),
  })
  const rows = asked.data?.pages.flatMap(({ data }) => data) ?? []
  const at = useKeys(rows.length, (i) => rows[i] && linkOf?.(rows[i]))
  if (asked.isPending) return <Waiting />
  if (asked.data === undefined) return <Fault error={asked.error} again={() => void asked.refetch()} />
  if (rows.length === 0 && !asked.hasNextPage)
    return (
      <>
        <Stale of={asked} />
        {empty}
      </>
    )
  return (
    <>
      <Stale of={asked} />
      <div className="scroll">
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
              <tr key={keyOf(row)} className={i === at ? 'at' : undefined}>
                {columns.map(({ name, isNumber, show }) => (
                  <td key={name} className={isNumber ? 'num' : undefined}>
                    {show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {asked.hasNextPage && (
        <div className="more">
          <button
            type="button"
            className="button"
            disabled={asked.isFetchingNextPage}
            onClick={() => void asked.fetchNextPage()}
          >
            {asked.isFetchingNextPage ? 'Loading…' : 'More'}
          </button>
        </div>
      )}
    </>
  )
}

export function useKeys(count: number, linkOf: (i: number) => string | undefined): number {
  const [at, setAt] = useState(-1)
  const [, go] = useLocation()
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'j') setAt((now) => Math.min(count - 1, now + 1))
      else if (event.key === 'k') setAt((now) => Math.max(0, now - 1))
      else if (event.key === 'Enter' && event.target === document.body) {
        const link = linkOf(at)
        if (link !== undefined) go(link)
      }
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
  return at
}

export function NothingHere({ title, children }: { title: string; children?: ReactNode }) {
  return <Empty title={title}>{children}</Empty>
}
