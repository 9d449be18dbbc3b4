/** The feed of changes by long poll: ids only; what they are about is asked for again, so that rights live in one place. */
import { useEffect, useRef, useState } from 'react'
import { read } from './api.ts'

export type Liveness = 'live' | 'lost' | 'paused'

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly next: string
}

/** Seconds for which a question waits, and milliseconds until the next after a failure. */
const WAIT_SECONDS = 20
const AGAIN_MS = 2_000

/** `feed`: where it is; undefined: none. Tells of each page that has something. */
export function useChanges(feed: string | undefined, tell: (page: Page['data']) => void, isPaused = false): Liveness {
  const [state, setState] = useState<Liveness>('live')
  const latest = useRef(tell)
  latest.current = tell
  useEffect(() => {
    if (feed === undefined || isPaused) return
    const gone = new AbortController()
    const follow = async () => {
      let after = 'latest'
      while (!gone.signal.aborted) {
        try {
          const wait = after === 'latest' ? 0 : WAIT_SECONDS
          const { data, next } = await read<Page>(`${feed}?after=${after}&wait=${wait}`, gone.signal)
          after = next
          setState('live')
          if (data.length > 0) latest.current(data)
        } catch {
          if (gone.signal.aborted) return
          setState('lost')
          await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
        }
      }
    }
    void follow()
    return () => gone.abort()
  }, [feed, isPaused])
  return isPaused ? 'paused' : state
}

export const LIVE_WORDS: Readonly<Record<Liveness, string>> = {
  live: 'Live',
  lost: 'Not live, trying again',
  paused: 'Paused',
}
