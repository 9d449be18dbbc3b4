/** Parts that pages share: badges, and the states loading, empty and error. */
import { Component, type ReactNode, useState } from 'react'
import { ApiProblem } from '../../app/console-api.ts'
import { capital, Time } from '../charts/format.tsx'

export function Badge({ tone, children }: { tone: string; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

/** Placeholder for an absent value. */
export const DASH = <span className="muted">–</span>

/** The block is focusable, because it scrolls. */
export function CodeBlock({ name, children }: { name: string; children: string }) {
  return (
    <section aria-label={name}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must scroll it */}
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

/** Errors of an unreachable server. Their texts differ between browsers. */
const isOffline = (error: unknown): boolean => error instanceof TypeError || isUnloaded(error)
/** Vite's error if the styles of a page could not be loaded. */
const isUnloaded = (error: unknown) => error instanceof Error && error.message.startsWith('Unable to preload CSS')
const NO_CONNECTION = 'No connection to the server'

/** `again` resolves after the retry. */
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

/** A failed page does not affect the frame. A new address resets the error. */
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

/** An action that the server rejected. */
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

/** Shown above data whose refresh failed. */
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
  /** Same height as the content, if something is below it. */
  readonly skeleton?: ReactNode
  /** The frame of the answer and of its placeholder. */
  readonly around?: (inner: ReactNode) => ReactNode
}

/** The answer, or its loading or error state. */
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
