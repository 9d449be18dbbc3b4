/**
 * Whether what is shown is live. One stream of ids for the whole console; whatever a page has asked for says in its `meta` which changes it is
 * about, and is asked for again when one comes. Without the stream everything shown is asked for every few seconds, and the dot says so.
 */
import { focusManager, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { ApiProblem } from './console-api.ts'
import { forgetSession, useSession } from './console-session.tsx'
import { type ChangeNotice, readEventStream, reconnectBackoffMs, type StreamPosition } from './event-stream.ts'

type Topic = 'bet' | 'balance' | 'player' | 'session' | 'delivery' | 'call'

/** What of a query is to be asked for again when it has changed. */
export interface LiveMeta extends Record<string, unknown> {
  readonly live: readonly Topic[]
  /** Only of this bet, or of this player. Calls are told without ids. */
  readonly bet?: string
  readonly player?: string
  /** Milliseconds between two questions at least, where an answer is dear. */
  readonly everyMs?: number
}

/** The sums of days: each answer is made anew. */
export const MONEY_LIVE: LiveMeta = { live: ['balance', 'bet'], everyMs: 5_000 }

/** `begins`: the first stream of a page, or of one that is looked at again, is on its way. */
type StreamState = 'begins' | 'live' | 'lost'
export type Liveness = StreamState | 'paused'

interface LiveState {
  readonly state: Liveness
  toggle(): void
}

const Context = createContext<LiveState>({ state: 'begins', toggle() {} })

export const useLive = () => useContext(Context)

/** Milliseconds: between two questions for the same, between two for all while there is no stream, and after a failure. */
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

  // Also what is asked for every few seconds rests: it does where nobody looks.
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
          if (isFirst) mark({ all: true }) // what changed between the page's first questions and now
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
 * A browser has six connections to a server for all of its pages: one that nobody looks at keeps none. A page that is left freezes in the
 * browser's back-forward cache right after these events, with its connection: what follows from them must have run before.
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

/** Nothing is asked twice at a time: a change that comes while an answer is on its way is asked for behind it. */
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
