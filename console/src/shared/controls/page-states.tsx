/** Pieces that every page uses: state, waiting, nothing there, something wrong. */
import { Component, type ReactNode, useState } from 'react'
import { ApiProblem } from '../../app/console-api.ts'
import { capital, Time } from '../charts/format.tsx'

export function Badge({ tone, children }: { tone: string; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

/** In the place of what is none. */
export const DASH = <span className="muted">–</span>

/** What came over the wire. It scrolls, so the keyboard must reach it. */
export function CodeBlock({ name, children }: { name: string; children: string }) {
  return (
    <section aria-label={name}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the arrow keys */}
      <pre className="code" tabIndex={0}>
        {children}
      </pre>
    </section>
  )
}

export function LoadingSkeleton({ rows = 4 }: { rows?: number }) {
  const widths = ['w1', 'w2', 'w3', 'w4']
  return (
    <div className="waiting" role="status" aria-label="Loading">
      {widths.slice(0, rows).map((width) => (
        <div key={width} className={`skeleton ${width}`} />
      ))}
    </div>
  )
}

/** What a browser throws when it has reached nobody; each has words of its own for it. */
const isOffline = (error: unknown): boolean => error instanceof TypeError || isUnloaded(error)
/** As Vite says it of the style of a page that could not be fetched. */
const isUnloaded = (error: unknown) => error instanceof Error && error.message.startsWith('Unable to preload CSS')
const NO_CONNECTION = 'No connection to the server'

/** `again`: resolves when it has been tried. */
export function ErrorMessage({ error, again }: { error: unknown; again?: () => unknown }) {
  const [isTrying, setTrying] = useState(false)
  const tryAgain = async () => {
    setTrying(true)
    await again?.()
    setTrying(false)
  }
  const text =
    error instanceof ApiProblem && error.status === 403
      ? `You don’t have permission: ${error.message}`
      : error instanceof Error
        ? isOffline(error)
          ? NO_CONNECTION
          : error.message
        : 'something went wrong'
  return (
    <div className="empty" role="alert">
      <strong>Couldn’t load this.</strong>
      <p>{capital(text)}.</p>
      {again && (
        <button type="button" className="button" disabled={isTrying} onClick={() => void tryAgain()}>
          {isTrying ? 'Trying…' : 'Try again'}
        </button>
      )}
    </div>
  )
}

export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** A page that fails takes nothing around it down; another address begins anew. */
export class ErrorBoundary extends Component<
  { readonly at: string; readonly children: ReactNode },
  { readonly error?: unknown }
> {
  override state: { readonly error?: unknown } = {}
  static getDerivedStateFromError(error: unknown) {
    return { error }
  }
  override componentDidUpdate({ at }: { readonly at: string }) {
    if (at !== this.props.at && this.state.error !== undefined) this.setState({ error: undefined })
  }
  override render() {
    const { error } = this.state
    return error === undefined ? this.props.children : <ErrorMessage error={error} again={() => location.reload()} />
  }
}

/** Somebody's click that the server did not follow. */
export function ActionError({ children }: { children: ReactNode }) {
  return (
    <p className="notice" role="alert">
      {children}
    </p>
  )
}

interface QueryView<T> {
  readonly data: T | undefined
  readonly dataUpdatedAt: number
  readonly error: unknown
  readonly isPending: boolean
  refetch(): unknown
}

/** Over something that could not be asked for again: what is shown may have changed since. */
export function StaleNotice({
  of: { error, dataUpdatedAt },
}: {
  of: Pick<QueryView<unknown>, 'error' | 'dataUpdatedAt'>
}) {
  if (!(error instanceof Error)) return null
  const wasKnown = dataUpdatedAt > 0
  return (
    <p className="notice stale" role="status">
      {isOffline(error) ? (
        <>
          {NO_CONNECTION}; trying again.
          {wasKnown && (
            <>
              {' '}
              This is as of <Time at={dataUpdatedAt} />.
            </>
          )}
        </>
      ) : wasKnown ? (
        <>
          As of <Time at={dataUpdatedAt} />, not live: {error.message}.
        </>
      ) : (
        <>Not available: {error.message}.</>
      )}
    </p>
  )
}

interface QueryResultProps<T> {
  readonly of: QueryView<T>
  readonly children: (data: T) => ReactNode
  /** As high as what comes, where something stands below it. */
  readonly skeleton?: ReactNode
  /** What stands around the answer, and around what is in its place. */
  readonly around?: (inner: ReactNode) => ReactNode
}

/** What was asked for, or what is there instead. */
export function QueryResult<T>({
  of,
  children,
  around = (inner) => inner,
  skeleton = around(<LoadingSkeleton />),
}: QueryResultProps<T>) {
  if (of.data !== undefined)
    return (
      <>
        <StaleNotice of={of} />
        {children(of.data)}
      </>
    )
  if (of.isPending) return skeleton
  return around(<ErrorMessage error={of.error} again={() => of.refetch()} />)
}
