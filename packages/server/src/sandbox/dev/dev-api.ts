/**
 * HTTP server of `purser dev` for its page: the frame with the calls and verdicts, as the sandbox
 * serves them below /sandbox/frame. It listens on this machine only, and needs no sign-in.
 */
import { createLogger } from '@purser/runtime/logger'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { registerApi } from '../../core/http/api/api.ts'
import type { Authenticator } from '../../core/http/api/authentication.ts'
import { CALLER, type Principal } from '../../core/http/api/principal.ts'
import { Problem } from '../../core/http/api/problem-details.ts'
import type { Routes } from '../../core/http/api/route-description.ts'
import { registerConsoleFiles } from '../../core/http/console-files.ts'
import { closeApp, createHttpApp } from '../../core/http/http-app.ts'
import { createApiMetrics } from '../../core/observability/api-metrics.ts'
import { FrameBetBody, FrameBetEndBody, FrameBetPath, FrameWireQuery } from '../frame/frame-schemas.ts'
import { isLocalRequest } from '../front-page.ts'
import type { DevFrame } from './dev-frame.ts'
import { DEV_TROUBLES, type DevTroubleName } from './troubles/dev-troubles.ts'

export interface DevPage {
  readonly url: string
  close(): Promise<void>
}

const BODY_BYTES = 16 * 1024
const READ = { config: { role: 'read' } } as const
const CASH = { role: 'cash' } as const
const player = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }))
const PlayerQuery = Type.Object({ player })
const BetBody = Type.Object({ ...FrameBetBody.properties, player })
const TroubleBody = Type.Object({ trouble: Type.Enum(Object.keys(DEV_TROUBLES) as DevTroubleName[]), player })

export interface DevPageParts {
  /** Returns undefined until a player is known. */
  frame(): DevFrame | undefined
  /** The reason why no player is known, as the terminal shows it. */
  waitingReason(): string | undefined
}

export async function serveDevPage(port: number, { frame, waitingReason }: DevPageParts): Promise<DevPage> {
  const { app } = createHttpApp()
  const log = createLogger('silent')
  const admission = createLocalAuthenticator()
  const known = (): DevFrame => {
    const one = frame()
    if (one === undefined) throw new Problem(503, 'unavailable', waitingReason() ?? 'no player is known yet')
    return one
  }
  await registerApi(
    app,
    { prefix: '/sandbox', admission, calls: createApiMetrics(), bodyBytes: BODY_BYTES, log },
    (api) => addDevRoutes(api, known),
  )
  addPage(app)
  const url = await app.listen({ host: '127.0.0.1', port })
  return { url, close: () => closeApp(app) }
}

function addPage(app: FastifyInstance): void {
  app.get('/', (_request, reply) => reply.redirect('/console/dev'))
  registerConsoleFiles(app)
}

function addDevRoutes(api: Routes, frame: () => DevFrame): void {
  api.get('/frame', { ...READ, schema: { querystring: PlayerQuery } }, ({ query }) => frame().state(query.player))
  api.get('/frame/wire', { ...READ, schema: { querystring: FrameWireQuery } }, async ({ query }) =>
    frame().callsSince(Number.parseInt(query.after ?? '0', 10)),
  )
  api.post('/frame/bets', { config: CASH, schema: { body: BetBody } }, ({ body }) => frame().bet(body))
  api.post(
    '/frame/bets/:betId',
    { config: CASH, schema: { params: FrameBetPath, body: FrameBetEndBody } },
    ({ params, body }) => frame().end(params.betId, body.what),
  )
  api.post('/frame/troubles', { config: CASH, schema: { body: TroubleBody } }, ({ body }) =>
    frame().runTrouble(body.trouble, body.player),
  )
}

const LOCAL_CALLER: Principal = { keyName: 'this machine', keyHash: '', role: 'admin' }

/**
 * Admits requests from this machine. A page of another site could send requests from the
 * developer's browser, so a request that names another origin is rejected.
 */
function createLocalAuthenticator(): Authenticator {
  const isAllowed = (request: FastifyRequest) => isLocalRequest(request) && isOwnOrigin(request)
  return {
    async authenticate(request) {
      if (!isAllowed(request))
        throw new Problem(403, 'forbidden', 'only a page or a program on this machine may send this request')
      request.setDecorator(CALLER, LOCAL_CALLER)
    },
    isStillAllowed: async (request) => isAllowed(request),
    reject: async () => {},
    waitForNextAttempt: async () => 0,
    text: () => '',
  }
}

function isOwnOrigin({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers
  return origin === undefined || origin === `http://${host}`
}
