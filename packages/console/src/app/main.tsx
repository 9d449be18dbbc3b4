/** Entry point of the console. */
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { ApiProblem } from './console-api.ts'
import { keepQueryFailures } from './query-failures.ts'
import '../shared/look/tokens.css'
import '../shared/look/base.css'
import { forgetSession } from './console-session.tsx'
import { noteInput } from './request-headers.ts'
import { applyTheme } from './theme.ts'

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
