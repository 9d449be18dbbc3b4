/** The feed of changes by long poll: ids only; what they are about is asked for again, so that rights live in one place. */
import { useEffect, useRef, useState } from 'react'
import { ApiProblem, read } from './api.ts'

export type Liveness = 'live' | 'lost' | 'paused'

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly next: string
}

/** Seconds for which a question waits, and milliseconds until the next after a failure. */
const WAIT_SECONDS = 20
const AGAIN_MS = 2_000

/** Retention has taken what came next. */
const GONE = 410
const UNAUTHORIZED = 401

export interface Told {
  /** A page that has something. */
  tell(page: Page['data']): void
  /** Live again: what came before may not be told any more, so all that is shown is to be asked for again. */
  begin(): void
  /** The session is over: nothing is asked any more. */
  end(): void
}

/** `feed`: where it is; undefined: none. Nothing is live before the feed has answered. */
export function useChanges(feed: string | undefined, told: Told, isPaused = false): Liveness {
  const [state, setState] = useState<Liveness>('lost')
  const latest = useRef(told)
  latest.current = told
  useEffect(() => {
    if (feed === undefined || isPaused) return
    const gone = new AbortController()
    const follow = async () => {
      let after = 'latest'
      let isLive = false
      while (!gone.signal.aborted) {
        try {
          const wait = after === 'latest' ? 0 : WAIT_SECONDS
          const { data, next } = await read<Page>(`${feed}?after=${after}&wait=${wait}`, gone.signal)
          after = next
          setState('live')
          if (!isLive) latest.current.begin()
          isLive = true
          if (data.length > 0) latest.current.tell(data)
        } catch (error) {
          if (gone.signal.aborted) return
          isLive = false
          setState('lost')
          if (error instanceof ApiProblem && error.status === UNAUTHORIZED) return latest.current.end()
          if (error instanceof ApiProblem && error.status === GONE) after = 'latest'
          await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
        }
      }
    }
    void follow()
    return () => {
      gone.abort()
      setState('lost')
    }
  }, [feed, isPaused])
  return isPaused ? 'paused' : state
}

export const LIVE_WORDS: Readonly<Record<Liveness, string>> = {
  live: 'Live',
  lost: 'Not live, trying again',
  paused: 'Paused',
}
