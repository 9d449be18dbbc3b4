/** What has changed as server-sent events that carry ids only, for pages that people look at. */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Admission } from '../http/admission.ts'
import { callerOf } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { describeRoute, type Routes } from '../http/route.ts'
import { world } from '../runtime/world.ts'
import { isNothing, type Live, type Told, type Watcher } from './live.ts'

/** Milliseconds after which it is asked again whether the key or session still is one. */
const CHECK_MS = 2_000
/** Milliseconds after which a comment is sent when nothing happens: the page, and proxies, see that the connection is alive. */
const SIGN_MS = 5_000
/** Milliseconds after which a browser connects again. */
const RETRY_MS = 1_000
/** A place in the feed; of whoever names something else nothing is known, and everything is new. */
const PLACE = /^\d{1,18}$/

export interface LiveRoutes {
  readonly live: Live
  readonly admission: Pick<Admission, 'stillAdmits'>
  /** The security scheme of the API. */
  readonly key: string
  readonly tag: string
}

const Headers = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'The id of the last event that came: what was missed since is told.' }),
  ),
})

export function addLiveRoute(api: Routes, { live, admission, key, tag }: LiveRoutes): void {
  const name = {
    operationId: 'watchChanges',
    tag,
    summary: 'What has changed, as ids only, for pages that are live',
    key,
  }
  const content = { 'text/event-stream': { schema: Type.String() } }
  const description =
    'Server-sent events `begin` and `changed`. Data of `changed`: `topics` (what the names of changes begin with; `call`: there are new calls), ' +
    '`bets` and `players` (ids), or `all: true` (anything may have changed). Ends with the key or session.'
  api.get(
    '/live',
    describeRoute(name, { role: 'read', headers: Headers, ok: { 200: { description, content } } }),
    async (request, reply) => {
      const last = request.headers['last-event-id']
      const from = typeof last === 'string' && PLACE.test(last) ? last : undefined
      const watcher = await live.watch(from, callerOf(request).keyName)
      if (watcher === undefined) throw new Problem(503, 'busy', 'too many watch here; close some pages')
      reply.raw.once('close', () => watcher.leave()) // the stream's own end waits for what it waits for
      if (reply.raw.destroyed) watcher.leave() // who has gone before that is not told of again
      reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no')
      return reply.send(streamOf(watcher, from, () => admission.stillAdmits(request as FastifyRequest)))
    },
  )
}

/** Ends when the reader goes, when its key or session has ended, and when this process cannot tell what has changed. */
function streamOf(watcher: Watcher, from: string | undefined, isStill: () => Promise<boolean>): Readable {
  return Readable.from(texts(watcher, from, isStill), { objectMode: false })
}

async function* texts(
  watcher: Watcher,
  from: string | undefined,
  isStill: () => Promise<boolean>,
): AsyncGenerator<string> {
  try {
    yield `retry: ${RETRY_MS}\n\n`
    yield eventText('begin', from ?? watcher.place(), {})
    let [checkedAt, saidAt] = [world.elapsed(), world.elapsed()]
    for (;;) {
      const told = await watcher.next(CHECK_MS)
      if (told === undefined) return
      const now = world.elapsed()
      if (now - checkedAt >= CHECK_MS) {
        if (!(await isStill().catch(() => false))) return
        checkedAt = now
      }
      const isQuiet = isNothing(told)
      if (isQuiet && now - saidAt < SIGN_MS) continue
      saidAt = now
      yield isQuiet ? ':\n\n' : eventText('changed', watcher.place(), show(told))
    }
  } finally {
    watcher.leave()
  }
}

function show({ topics, bets, players, isAll }: Told): object {
  return isAll ? { all: true } : { topics: [...topics], bets: [...bets], players: [...players] }
}

function eventText(event: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
