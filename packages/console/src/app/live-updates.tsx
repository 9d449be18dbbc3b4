/**
 * Live updates of the console.
 *
 * One stream of changed ids serves all pages. The `meta` of a query names the changes that affect
 * the query, and such a change refetches it. Without the stream the page refetches all live queries
 * every few seconds, and the status light shows it.
 *
 * States of the stream:
 * - `begins`: the first stream connects. The next state is `live` or `lost`.
 * - `live`: the stream is open. When the stream ends, the state is `lost`.
 * - `lost`: the page polls and reconnects. A new stream makes the state `live` again.
 *
 * A user can pause the updates. When they resume, the state is `begins`.
 */
import { focusManager, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { ApiProblem } from './console-api.ts'
import { forgetSession, useSession } from './console-session.tsx'
import { type ChangeNotice, readEventStream, reconnectBackoffMs, type StreamPosition } from './event-stream.ts'

type Topic = 'bet' | 'balance' | 'player' | 'session' | 'delivery' | 'call'

/** The changes that affect a query. */
export interface LiveMeta extends Record<string, unknown> {
  readonly live: readonly Topic[]
  /** Limits the changes to this bet or this player. Changes of calls have no ids. */
  readonly bet?: string
  readonly player?: string
  /** The least interval between two requests, for expensive answers. */
  readonly everyMs?: number
}

/** The sums of a day are computed anew for each answer. */
export const MONEY_LIVE: LiveMeta = { live: ['balance', 'bet'], everyMs: 5_000 }

/** `begins` is also the state of a page that becomes visible again. */
type StreamState = 'begins' | 'live' | 'lost'
export type Liveness = StreamState | 'paused'

interface LiveState {
  readonly state: Liveness
  toggle(): void
}

const Context = createContext<LiveState>({ state: 'begins', toggle() {} })

export const useLive = () => useContext(Context)

/**
 * Intervals between two requests of a query, between two polls without a stream, and after a
 * failure.
 */
const MIN_INTERVAL_MS = 400
const FALLBACK_POLL_MS = 4_000
const RETRY_MS = 2_000
const TICK_MS = 200

export function LiveProvider({ children }: { children: ReactNode }) {
  const { bases, setup } = useSession()
  const client = useQueryClient()
  const [isPaused, setPaused] = useState(false)
  const isHidden = usePageHidden()
  const [stream, setStream] = useState<StreamState>('begins')
  const dirty = useRef(new Set<Query>())
  const position = useRef<StreamPosition>({})
  const url = setup.isSandbox ? '/sandbox/live' : bases.wallet ? '/operator/live' : '/live'
  const isStill = isPaused || isHidden

  // An unfocused page also stops the library's own polling.
  useEffect(() => {
    focusManager.setFocused(isPaused ? false : undefined)
    return () => focusManager.setFocused(undefined)
  }, [isPaused])

  useEffect(() => {
    if (isStill) return
    const stopped = new AbortController()
    const mark = (notice: ChangeNotice) => {
      for (const query of client.getQueryCache().getAll()) if (isAffected(query, notice)) dirty.current.add(query)
    }
    const handlers = {
      begin: () => setStream('live'),
      changed: mark,
    }
    const follow = async () => {
      while (!stopped.signal.aborted) {
        const isFirst = position.current.id === undefined
        const begin = () => {
          handlers.begin()
          if (isFirst) mark({ all: true }) // the gap since the first requests
        }
        const error = await readEventStream(url, position.current, { ...handlers, begin }, stopped.signal).catch(
          (why: unknown) => why,
        )
        if (stopped.signal.aborted) return
        setStream('lost')
        if (error instanceof ApiProblem && error.status === 401) return forgetSession(client)
        await new Promise((resolve) => setTimeout(resolve, reconnectBackoffMs()))
      }
    }
    void follow()
    return () => {
      stopped.abort()
      setStream('begins')
    }
  }, [client, url, isStill])

  useEffect(() => {
    if (isStill) return
    let lastPolledAt = Date.now()
    const tick = () => {
      const now = Date.now()
      const all = client.getQueryCache().getAll()
      if (stream === 'live') lastPolledAt = now
      if (now - lastPolledAt >= FALLBACK_POLL_MS) {
        lastPolledAt = now
        for (const query of all) if (isAffected(query, { all: true })) dirty.current.add(query)
      }
      for (const query of all) if (hasFailed(query, now)) dirty.current.add(query)
      refetchDirty(client, dirty.current, now)
    }
    const timer = setInterval(tick, TICK_MS)
    return () => clearInterval(timer)
  }, [client, stream, isStill])

  const state = isPaused ? 'paused' : stream
  return <Context value={{ state, toggle: () => setPaused(!isPaused) }}>{children}</Context>
}

/**
 * A hidden page closes its stream, because a browser has only six connections per server.
 *
 * After `pagehide` the page may freeze in the back-forward cache, with its connection. `flushSync`
 * closes the stream before that.
 */
function usePageHidden(): boolean {
  const [isHidden, setHidden] = useState(document.hidden)
  useEffect(() => {
    const update = (event: Event) => flushSync(() => setHidden(document.hidden || event.type === 'pagehide'))
    document.addEventListener('visibilitychange', update)
    window.addEventListener('pagehide', update)
    window.addEventListener('pageshow', update)
    return () => {
      document.removeEventListener('visibilitychange', update)
      window.removeEventListener('pagehide', update)
      window.removeEventListener('pageshow', update)
    }
  }, [])
  return isHidden
}

function isAffected({ meta }: Query, { all, topics = [], bets = [], players = [] }: ChangeNotice): boolean {
  const { live, bet, player } = (meta ?? {}) as Partial<LiveMeta>
  if (live === undefined) return false
  if (all) return true
  return topics.some((topic) => {
    if (!live.includes(topic as Topic)) return false
    if (topic === 'call') return true
    return bet !== undefined ? bets.includes(bet) : player === undefined || players.includes(player)
  })
}

function hasFailed({ meta, state }: Query, now: number): boolean {
  return (
    meta?.live !== undefined &&
    state.error !== null &&
    state.fetchStatus === 'idle' &&
    now - state.errorUpdatedAt >= RETRY_MS
  )
}

/** A query has one request at a time. A change during a request is refetched afterwards. */
function refetchDirty(client: QueryClient, dirty: Set<Query>, now: number): void {
  for (const query of dirty) {
    const { state, meta, queryKey } = query
    if (!query.isActive()) {
      dirty.delete(query)
      query.invalidate()
      continue
    }
    const answeredAt = Math.max(state.dataUpdatedAt, state.errorUpdatedAt)
    const minInterval = ((meta ?? {}) as Partial<LiveMeta>).everyMs ?? MIN_INTERVAL_MS
    if (state.fetchStatus !== 'idle' || now - answeredAt < minInterval) continue
    dirty.delete(query)
    void client.refetchQueries({ queryKey, exact: true })
  }
}
