/** Routes of the feed, for wallet and platform: pages, long polling, server-sent events. */
import { type TSchema, type TUnion, Type } from 'typebox'
import { noUnknownMembers, pageQuery, parseLimit } from '../http/api/pagination.ts'
import { invalid, Problem } from '../http/api/problem-details.ts'
import { integerParameter } from '../http/api/query-parameters.ts'
import { describeRoute, type Routes } from '../http/api/route-description.ts'
import type { Feed, FeedAnswer, FeedEvent, FeedPage } from './change-feed.ts'
import { createFeedStream, type FormatFeedEvent } from './feed-stream.ts'

const MAX_WAIT_SECONDS = 30
const MS_PER_SECOND = 1_000

const cursor = Type.Optional(
  Type.String({
    pattern: '^(latest|\\d{1,18})$',
    description:
      'The `next` of the previous page, or the id of an event. `latest` begins with the next event. If it is absent, the list begins with the oldest stored event.',
  }),
)
const ChangesQuery = Type.Object(
  {
    limit: pageQuery.limit,
    after: cursor,
    wait: integerParameter({
      ...{ pattern: '^([12]?\\d|30)$', minimum: 0, maximum: MAX_WAIT_SECONDS },
      description: `The seconds to wait for the next event, up to ${MAX_WAIT_SECONDS}. The default is 0.`,
    }),
  },
  noUnknownMembers,
)
const StreamQuery = Type.Object({ after: cursor }, noUnknownMembers)
const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: 'The id that a browser sends when it connects again. It takes precedence over `after`.',
    }),
  ),
})

export interface FeedRoutes {
  readonly feed: Feed
  /** The schema of an event in the API. */
  readonly event: TSchema
  readonly show: FormatFeedEvent
  readonly key: string
  readonly tag: string
}

/**
 * The version of the payloads. A version may gain members; a removed or changed member needs the
 * next version.
 */
const VERSION = 1

export const eventEnvelope = {
  id: Type.String({
    pattern: '^\\d+$',
    description: 'The number of the event in the feed, which has no gaps. It is the cursor after this event.',
  }),
  version: Type.Literal(VERSION, {
    description: 'The version of the members below. New members may be added within a version.',
  }),
  at: Type.String({ format: 'date-time' }),
}

/** Reads all event names from the schema of the API. */
export function listEventNames(event: TUnion): readonly string[] {
  return event.anyOf.flatMap(
    (one) => (one as unknown as { properties: { event: { enum: string[] } } }).properties.event.enum,
  )
}

export function toEventEnvelope({ id, at, event: [event] }: FeedEvent) {
  return { id, event, version: VERSION, at: at.toISOString() } as const
}

export function addFeedRoutes(api: Routes, routes: FeedRoutes): void {
  addPages(api, routes)
  addStream(api, routes)
}

const problems = { 410: 'cursor_too_old' }

function addPages(api: Routes, { feed, event, show, key, tag }: FeedRoutes): void {
  const page = Type.Object({
    data: Type.Array(event),
    next: Type.String({ description: 'The cursor for `after`. It is always present.' }),
  })
  const name = {
    operationId: 'readChanges',
    tag,
    summary: 'List changes in the order of their commits',
    key,
  }
  api.get(
    '/changes',
    describeRoute(name, { role: 'read', querystring: ChangesQuery, ok: { 200: page }, problems }),
    async ({ query }, reply) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const waitMs = Number.parseInt(query.wait ?? '0', 10) * MS_PER_SECOND
      const { events, next } = requirePage(await feed.poll(query.after, parseLimit(query), waitMs, gone.signal))
      return { data: events.map(show), next }
    },
  )
}

function addStream(api: Routes, { feed, show, key, tag }: FeedRoutes): void {
  const name = { operationId: 'streamChanges', tag, summary: 'Stream the changes as server-sent events', key }
  const content = { 'text/event-stream': { schema: Type.String() } }
  const ok = { 200: { description: "Each event has `id`, `event`, and the list's object as `data`.", content } }
  api.get(
    '/changes/stream',
    describeRoute(name, { role: 'read', querystring: StreamQuery, headers: StreamHeaders, ok, problems }),
    async ({ query, headers }, reply) => {
      const last = headers['last-event-id']
      const { next } = requirePage(await feed.poll(typeof last === 'string' ? last : query.after, 0, 0))
      reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no')
      return reply.send(createFeedStream(feed, next, show))
    },
  )
}

function requirePage(answer: FeedAnswer): FeedPage {
  switch (answer.kind) {
    case 'page':
      return answer.page
    case 'unknown':
      throw invalid('/query/after', 'is not a cursor of this feed')
    case 'too_old':
      throw new Problem(
        410,
        'cursor_too_old',
        `the next events were deleted by retention: the feed begins after ${answer.first}`,
      )
    case 'busy':
      throw new Problem(
        503,
        'busy',
        'too many requests are waiting for changes: ask without waiting, or ask another process',
      )
    default:
      return answer satisfies never
  }
}
