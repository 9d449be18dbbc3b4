/** The feed as server-sent events: one page after the other, with a sign of life while there is nothing. */
import { Readable } from 'node:stream'
import { environment } from '../../../runtime/environment.ts'
import type { Feed, FeedEvent } from './change-feed.ts'

/** Milliseconds after which a comment is sent when nothing happens, so that no proxy takes the connection for dead. */
const HEARTBEAT_MS = 15_000
/** Events that are read at once. */
const PAGE_EVENTS = 500
/** Milliseconds for which a stream lasts. */
const STREAM_LIFETIME_MS = 60_000
/** Milliseconds after which a browser connects again. */
const RECONNECT_MS = 1_000

export type FormatFeedEvent = (event: FeedEvent) => { readonly id: string; readonly event: string }

/**
 * Ends when the reader goes, when the feed is closed, when the feed has nothing for the cursor any more, and after a minute: then the
 * reader asks again, with a key that still works (W-25).
 */
export function createFeedStream(
  feed: Feed,
  after: string,
  show: FormatFeedEvent,
  lifetimeMs = STREAM_LIFETIME_MS,
): Readable {
  const gone = new AbortController()
  const stream = Readable.from(iterateTexts(feed, after, show, gone.signal, lifetimeMs), { objectMode: false })
  return stream.once('close', () => gone.abort())
}

async function* iterateTexts(
  feed: Feed,
  begin: string,
  show: FormatFeedEvent,
  gone: AbortSignal,
  lifetimeMs: number,
): AsyncGenerator<string> {
  const end = environment.monotonicNow() + lifetimeMs
  yield `retry: ${RECONNECT_MS}\n\n`
  let after = begin
  while (!gone.aborted && !feed.isClosed() && environment.monotonicNow() < end) {
    const answer = await feed.poll(after, PAGE_EVENTS, Math.min(HEARTBEAT_MS, end - environment.monotonicNow()), gone)
    if (answer.kind !== 'page') return
    const { events, next } = answer.page
    yield events.length === 0 ? ':\n\n' : events.map((event) => formatServerSentEvent(show(event))).join('')
    after = next
  }
}

function formatServerSentEvent(shown: ReturnType<FormatFeedEvent>): string {
  return `id: ${shown.id}\nevent: ${shown.event}\ndata: ${JSON.stringify(shown)}\n\n`
}
