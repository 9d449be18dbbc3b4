/**
 * Routes that the sandbox offers to the console: a part of the platform's API, and the demo frame
 * with its fault scenarios.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import type { Logger } from '@purser/runtime/logger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { registerApi } from '../../core/http/api/api.ts'
import type { Authenticator } from '../../core/http/api/authentication.ts'
import { principalOf } from '../../core/http/api/principal.ts'
import { Problem } from '../../core/http/api/problem-details.ts'
import type { Routes } from '../../core/http/api/route-description.ts'
import { createApiMetrics } from '../../core/observability/api-metrics.ts'
import type { BearerClient } from '../bearer-client.ts'
import type { DemoFrame } from './demo-frame.ts'
import { FAULT_SCENARIOS } from './fault-scenarios.ts'
import { FRAME_CURRENCIES } from './frame-player.ts'
import { FrameBetBody, FrameBetEndBody, FrameBetPath, FrameWireQuery } from './frame-schemas.ts'
import { streamMergedEvents } from './merged-event-stream.ts'

export interface SandboxParts {
  readonly wallet: BearerClient
  readonly platform: BearerClient
  /** Undefined with a gateway. */
  readonly frame: DemoFrame | undefined
}

export interface SandboxApiDeps {
  readonly admission: Authenticator
  readonly log: Logger
  /** Undefined until all servers run. */
  parts(): SandboxParts | undefined
}

const BODY_BYTES = 16 * 1024
const READ = { config: { role: 'read' } } as const
const SUPPORT = { config: { role: 'support' } } as const
const ADMIN = { config: { role: 'admin' } } as const
const CASH = { role: 'cash' } as const

const PLATFORM = '/platform'
/**
 * Paths of a platform that the console reads. A platform allows each path to the role `read`. The
 * sandbox forwards calls with the platform's own key, so it forwards no other path.
 */
const PLATFORM_READ_PATHS = [
  ...['/bets', '/bets/:id', '/deliveries', '/deliveries/retries', '/deliveries/retries/:id', '/changes'],
  ...['/show/:id', '/now', '/partners'],
]
/** Excludes characters that lead to another path. */
const WindowPath = Type.Object({ id: Type.Optional(Type.String({ pattern: '^[\\w-]{1,64}$' })) })

const Switch = Type.Object({ currency: Type.Enum([...FRAME_CURRENCIES]) })
const Chosen = Type.Object({ trouble: Type.Enum(Object.keys(FAULT_SCENARIOS) as (keyof typeof FAULT_SCENARIOS)[]) })

export function addSandboxApi(app: FastifyInstance, { admission, log, parts }: SandboxApiDeps): void {
  const known = (): SandboxParts => {
    const all = parts()
    if (all === undefined) throw new Problem(503, 'unavailable', 'the sandbox is starting')
    return all
  }
  const frame = (): DemoFrame => {
    const { frame: one } = known()
    if (one === undefined) throw new Problem(404, 'not_found', 'the demo frame is not available with --gateway')
    return one
  }
  void registerApi(
    app,
    { prefix: '/sandbox', admission, calls: createApiMetrics(), bodyBytes: BODY_BYTES, log },
    (api) => {
      for (const path of PLATFORM_READ_PATHS)
        api.get(`${PLATFORM}${path}`, { ...READ, schema: { params: WindowPath } }, (request, reply) =>
          forwardToPlatform(known().platform, request, reply),
        )
      api.post(`${PLATFORM}/deliveries/retry`, SUPPORT, (request, reply) =>
        forwardToPlatform(known().platform, request, reply),
      )
      api.get('/live', READ, (request, reply) => streamMergedEvents(known(), request, reply))
      const one = { ...SUPPORT, schema: { params: WindowPath } }
      api.post(`${PLATFORM}/deliveries/:id/retry`, one, (request, reply) =>
        forwardToPlatform(known().platform, request, reply),
      )
      const done = { ...ADMIN, schema: { params: WindowPath } }
      api.post(`${PLATFORM}/deliveries/:id/acknowledge`, done, (request, reply) =>
        forwardToPlatform(known().platform, request, reply),
      )
      addFrameRoutes(api, frame)
    },
  )
}

function addFrameRoutes(api: Routes, frame: () => DemoFrame): void {
  api.get('/frame', READ, () => frame().state())
  api.get('/frame/wire', { ...READ, schema: { querystring: FrameWireQuery } }, async ({ query }) =>
    frame().callsSince(Number.parseInt(query.after ?? '0', 10)),
  )
  api.post('/frame/bets', { config: CASH, schema: { body: FrameBetBody } }, ({ body }) => frame().bet(body))
  api.post(
    '/frame/bets/:betId',
    { config: CASH, schema: { params: FrameBetPath, body: FrameBetEndBody } },
    ({ params, body }) => frame().end(params.betId, body.what),
  )
  api.post('/frame/troubles', { config: CASH, schema: { body: Chosen } }, ({ body }) =>
    frame().runScenario(body.trouble),
  )
  api.post('/frame/money', { config: CASH }, () => frame().payIn())
  api.post('/frame/currency', { config: CASH, schema: { body: Switch } }, ({ body }) => frame().switchTo(body.currency))
}

/** Parsed, so that personal data is masked before it is sent (O-11). */
function parseJsonAnswer(answer: Response): Promise<unknown> {
  return answer.json().catch(() => {
    throw new Problem(503, 'unavailable', `the platform answered ${answer.status} without JSON`)
  })
}

/** The path of the route, because a URL can write the same path in another way. */
function toPlatformPath({ url, params, routeOptions }: FastifyRequest): string {
  const ids = params as Readonly<Record<string, string>>
  const route = (routeOptions.url ?? '').slice(`/sandbox${PLATFORM}`.length)
  const query = url.indexOf('?')
  return (
    route.replaceAll(/:(\w+)/g, (_part, name) => encodePathSegment(ids[name] ?? '')) +
    (query < 0 ? '' : url.slice(query))
  )
}

/**
 * A role has the same rights on the platform, because the sandbox is both sides. Changes are
 * recorded under the caller's name, and answers are masked for the caller (O-11).
 */
async function forwardToPlatform(
  { url, key }: BearerClient,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const path = toPlatformPath(request)
  const authorization = `Bearer ${key}`
  const options =
    request.method === 'GET'
      ? { headers: { authorization } }
      : {
          method: request.method,
          headers: {
            authorization,
            'content-type': 'application/json',
            'x-purser-person': principalOf(request).keyName,
          },
          body: JSON.stringify(request.body ?? {}),
        }
  const answer = await fetch(url + path, { ...options, signal: gone.signal }).catch(() => {
    throw new Problem(503, 'unavailable', 'the platform does not answer')
  })
  return reply
    .code(answer.status)
    .header('content-type', answer.headers.get('content-type') ?? 'application/json')
    .send(await parseJsonAnswer(answer))
}
