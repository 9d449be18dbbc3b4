/**
 * What could not be had stays said until there is an answer. The library forgets a failure when it asks again and has no answer yet: a page that is
 * asked for every few seconds would change between "could not be shown" and loading, for as long as nothing answers.
 */
import type { Query, QueryCache, QueryState } from '@tanstack/react-query'

/** Where somebody comes anew, it is loading. */
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
