/**
 * Keeps a query's error on the page until the query succeeds.
 *
 * TanStack Query clears the error at each refetch. Without this file a failing page would alternate
 * between error and loading.
 */
import type { Query, QueryCache, QueryState } from '@tanstack/react-query'

/** A query that gets its first observer again starts as loading. */
export function keepQueryFailures(cache: QueryCache): void {
  const failed = new WeakMap<Query, Pick<QueryState, 'status' | 'error'>>()
  cache.subscribe((event) => {
    const { query } = event
    if (event.type === 'observerAdded' && query.getObserversCount() === 1) failed.delete(query)
    if (event.type !== 'updated') return
    const { data, status, error } = query.state
    if (event.action.type === 'error' && data === undefined) failed.set(query, { status, error })
    const before = failed.get(query)
    if (event.action.type === 'fetch' && data === undefined && before) query.setState(before)
  })
}
