/** The feed as server-sent events: page after page, with a heartbeat while no event arrives. */
import { Readable } from 'node:stream'
import { environment } from '@purser/runtime/environment'
import type { Feed, FeedEvent } from './change-feed.ts'

/** Milliseconds without an event, after which a comment keeps the connection alive for proxies. */
const HEARTBEAT_MS = 15_000
const PAGE_EVENTS = 500
const STREAM_LIFETIME_MS = 60_000
const RECONNECT_MS = 1_000

export type FormatFeedEvent = (event: FeedEvent) => { readonly id: string; readonly event: string }

/**
 * Ends when the client disconnects, the feed is closed or has no page for the cursor. It also ends
 * after a minute, so that the client must connect again with a key that still works (W-25).
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
