/** The feed as server-sent events: one page after the other, with a sign of life while there is nothing. */
import { Readable } from 'node:stream'
import { world } from '../runtime/world.ts'
import type { Feed, FeedEvent } from './feed.ts'

/** Milliseconds after which a comment is sent when nothing happens, so that no proxy takes the connection for dead. */
const SIGN_MS = 15_000
/** Events that are read at once. */
const PAGE = 500
/** Milliseconds for which a stream lasts. */
const LASTS_MS = 60_000
/** Milliseconds after which a browser connects again. */
const RETRY_MS = 1_000

export type Show = (event: FeedEvent) => { readonly id: string; readonly event: string }

/**
 * Ends when the reader goes, when the feed is closed, when the feed has nothing for the cursor any more, and after a minute: then the
 * reader asks again, with a key that still works (W-25).
 */
export function streamFrom(feed: Feed, after: string, show: Show, lastsMs = LASTS_MS): Readable {
  const gone = new AbortController()
  const stream = Readable.from(texts(feed, after, show, gone.signal, lastsMs), { objectMode: false })
  return stream.once('close', () => gone.abort())
}

async function* texts(
  feed: Feed,
  begin: string,
  show: Show,
  gone: AbortSignal,
  lastsMs: number,
): AsyncGenerator<string> {
  const end = world.elapsed() + lastsMs
  yield `retry: ${RETRY_MS}\n\n`
  let after = begin
  while (!gone.aborted && !feed.isClosed() && world.elapsed() < end) {
    const asked = await feed.ask(after, PAGE, Math.min(SIGN_MS, end - world.elapsed()), gone)
    if (asked.kind !== 'page') return
    const { events, next } = asked.page
    yield events.length === 0 ? ':\n\n' : events.map((event) => toText(show(event))).join('')
    after = next
  }
}

function toText(shown: ReturnType<Show>): string {
  return `id: ${shown.id}\nevent: ${shown.event}\ndata: ${JSON.stringify(shown)}\n\n`
}
