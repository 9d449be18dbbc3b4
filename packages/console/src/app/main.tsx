/** Entry point of the console. */
import { type Query, QueryCache, QueryClient, QueryClientProvider, type QueryState } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { ApiProblem } from './console-api.ts'
import '../shared/look/tokens.css'
import '../shared/look/base.css'
import { forgetSession } from './console-session.tsx'
import { applyTheme } from './page-shell.tsx'
import { noteInput } from './request-headers.ts'

applyTheme()
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session has expired, or its key was revoked.
    onError: (error) => void (error instanceof ApiProblem && error.status === 401 && forgetSession(client)),
  }),
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => !(error instanceof ApiProblem && error.status < 500) && failures < 2,
    },
  },
})
keepQueryFailures(client.getQueryCache())
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel'])
  addEventListener(event, () => noteInput(renewSession), { passive: true, capture: true })
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  )

/** The answer also shows whether the session has ended. */
function renewSession(): void {
  if (client.getQueryData(['session'])) void client.refetchQueries({ queryKey: ['session'] })
}

/**
 * TanStack Query clears the error at each refetch. Without this function a failing page would
 * alternate between error and loading. A query that gets its first observer again starts as
 * loading.
 */
function keepQueryFailures(cache: QueryCache): void {
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
