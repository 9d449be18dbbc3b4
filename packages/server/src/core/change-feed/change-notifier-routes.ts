/**
 * Route that sends the ids of changed objects to the open pages of the console, as server-sent
 * events.
 */
import { Readable } from 'node:stream'
import { environment } from '@purser/runtime/environment'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Authenticator } from '../http/api/authentication.ts'
import { principalOf } from '../http/api/principal.ts'
import { Problem } from '../http/api/problem-details.ts'
import { describeRoute, type Routes } from '../http/api/route-description.ts'
import {
  type ChangeNotification,
  type ChangeNotifier,
  isEmptyNotification,
  type Subscriber,
} from './change-notifier.ts'

/** Milliseconds between two checks that the key or session is still valid. */
const CHECK_MS = 2_000
/** Milliseconds without an event, after which a comment keeps the connection alive. */
const HEARTBEAT_MS = 5_000
const RECONNECT_MS = 1_000
/** Any other id is ignored, and the stream begins with the next change. */
const POSITION = /^\d{1,18}$/

export interface ChangeNotifierRoutes {
  readonly live: ChangeNotifier
  readonly admission: Pick<Authenticator, 'isStillAllowed'>
  readonly key: string
  readonly tag: string
}

const Headers = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'The id of the last received event. The stream sends everything after it.' }),
  ),
})

export function addChangeNotifierRoute(
  api: Routes,
  { live: changeNotifier, admission, key, tag }: ChangeNotifierRoutes,
): void {
  const name = {
    operationId: 'watchChanges',
    tag,
    summary: 'Stream the ids of changed objects to live pages',
    key,
  }
  const content = { 'text/event-stream': { schema: Type.String() } }
  const description =
    'Server-sent events `begin` and `changed`. The data of `changed` are `topics` (first parts of change names, `call` for new calls), ' +
    '`bets` and `players` (ids), or `all: true` (anything may have changed). The stream ends with the key or session.'
  api.get(
    '/live',
    describeRoute(name, { role: 'read', headers: Headers, ok: { 200: { description, content } } }),
    async (request, reply) => {
      const last = request.headers['last-event-id']
      const from = typeof last === 'string' && POSITION.test(last) ? last : undefined
      const subscriber = await changeNotifier.subscribe(from, principalOf(request).keyName)
      if (subscriber === undefined) throw new Problem(503, 'busy', 'too many pages are connected: close some pages')
      reply.raw.once('close', () => subscriber.leave()) // the stream itself ends only after its current wait
      if (reply.raw.destroyed) subscriber.leave() // the connection was closed before the listener was added
      reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no')
      return reply.send(createStream(subscriber, from, () => admission.isStillAllowed(request as FastifyRequest)))
    },
  )
}

/**
 * Ends when the connection closes, the key or session has ended, or this process cannot read
 * changes.
 */
function createStream(
  subscriber: Subscriber,
  from: string | undefined,
  isStillAdmitted: () => Promise<boolean>,
): Readable {
  return Readable.from(iterateTexts(subscriber, from, isStillAdmitted), { objectMode: false })
}

async function* iterateTexts(
  subscriber: Subscriber,
  from: string | undefined,
  isStillAdmitted: () => Promise<boolean>,
): AsyncGenerator<string> {
  try {
    yield `retry: ${RECONNECT_MS}\n\n`
    yield formatEvent('begin', from ?? subscriber.position(), {})
    let [checkedAt, sentAt] = [environment.monotonicNow(), environment.monotonicNow()]
    for (;;) {
      const notification = await subscriber.next(CHECK_MS)
      if (notification === undefined) return
      const now = environment.monotonicNow()
      if (now - checkedAt >= CHECK_MS) {
        if (!(await isStillAdmitted().catch(() => false))) return
        checkedAt = now
      }
      const isQuiet = isEmptyNotification(notification)
      if (isQuiet && now - sentAt < HEARTBEAT_MS) continue
      sentAt = now
      yield isQuiet ? ':\n\n' : formatEvent('changed', subscriber.position(), toEventData(notification))
    }
  } finally {
    subscriber.leave()
  }
}

function toEventData({ topics, bets, players, isAll }: ChangeNotification): object {
  return isAll ? { all: true } : { topics: [...topics], bets: [...bets], players: [...players] }
}

function formatEvent(event: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
