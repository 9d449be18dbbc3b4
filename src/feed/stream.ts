/** The feed as server-sent events: one page after the other, with a sign of life while there is nothing. */
import { Readable } from 'node:stream'
import type { Feed, FeedEvent } from './feed.ts'

/** Milliseconds after which a comment is sent when nothing happens, so that no proxy takes the connection for dead. */
const SIGN_MS = 15_000
/** Events that are read at once. */
const PAGE = 500
/** Milliseconds after which a browser connects again. */
const RETRY_MS = 1_000

export type Show = (event: FeedEvent) => { readonly id: string; readonly event: string }

/** Ends when the reader goes, when the feed is closed, or when the feed has nothing for the cursor any more: then the reader asks again. */
export function streamFrom(feed: Feed, after: string, show: Show): Readable {
  const gone = new AbortController()
  const stream = Readable.from(texts(feed, after, show, gone.signal), { objectMode: false })
  return stream.once('close', () => gone.abort())
}

async function* texts(feed: Feed, begin: string, show: Show, gone: AbortSignal): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`
  let after = begin
  while (!gone.aborted && !feed.isClosed()) {
    const asked = await feed.ask(after, PAGE, SIGN_MS, gone)
    if (asked.kind !== 'page') return
    const { events, next } = asked.page
    yield events.length === 0 ? ':\n\n' : events.map((event) => toText(show(event))).join('')
    after = next
  }
}

function toText(shown: ReturnType<Show>): string {
  return `id: ${shown.id}\nevent: ${shown.event}\ndata: ${JSON.stringify(shown)}\n\n`
}
