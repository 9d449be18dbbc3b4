/**
 * The HTTP server of each of our processes: limits, health checks, and a shutdown that first
 * finishes the accepted requests.
 */
import cluster from 'node:cluster'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { restoreDotSegments } from '@purser/protocol/values/path-segment'
import { LIMITS } from '@purser/protocol/wire-limits'
import { cacheFor } from '@purser/runtime/async/single-flight-cache'
import { withTimeout } from '@purser/runtime/async/timeouts'
import { environment } from '@purser/runtime/environment'
import { VERSION } from '@purser/runtime/version'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { ReadOnlyDatabaseError } from '../database/database-errors.ts'
import { createClusterMetrics } from '../observability/cluster-metrics.ts'
import {
  DATABASE_WAIT_MS,
  formatMetric,
  formatMetricAges,
  type MetricSource,
} from '../observability/metrics-exposition.ts'
import { type AdmissionDeadlines, AdmissionQueue } from '../partner-wire/admission-queue.ts'
import {
  createCallTaker,
  registerCallRoutes,
  type TakeCall,
  toWirePath,
  type WireServer,
} from '../partner-wire/call-server.ts'
import { CallerConnection, TurnClock } from '../partner-wire/caller-connection.ts'
import { createSourceResolver } from '../partner-wire/source-address.ts'
import { Problem, sendProblem } from './api/problem-details.ts'
import { type ConnectionLimit, createConnectionLimit } from './connection-limit.ts'

/**
 * Milliseconds from the first byte of a request to its last. The platform gives up after 5 s. Node
 * applies the longer of `headersTimeout` (by default 60 s) and `requestTimeout`, so both are set.
 */
const REQUEST_TIMEOUT_MS = 10_000
const REQUEST_CHECK_MS = 1_000
const SWEEP_MS = 50
/** Milliseconds without progress, after which the connection of an unread answer is closed. */
const STALLED_RESPONSE_MS = 30_000
/**
 * Bytes of a request's head, as many as of a body. Node's 16 KiB would answer 431 to a long
 * signature, which is code 1 (R-1, S-2).
 */
const MAX_HEAD_BYTES = LIMITS.bodyBytes
/**
 * Milliseconds for which a shutdown keeps idle connections open, if other processes serve the port.
 * A call that is already on its way is then answered, and the answer closes the connection.
 */
const IDLE_GRACE_MS = cluster.isWorker ? 2_000 : 0
/** Further milliseconds for running calls and incomplete requests; no call takes longer. */
const SHUTDOWN_GRACE_MS = 6_000

/** Milliseconds that an idle connection stays open by default. */
const KEEP_ALIVE_MS = 72_000

declare module 'fastify' {
  interface FastifyInstance {
    /** `/readyz` is 503 from now on. Requests are served, and each answer closes its connection. */
    beginDraining(): void
  }
}

export interface HttpApp extends WireServer {
  readonly app: FastifyInstance
  readonly admission: AdmissionQueue
  /** Connections that were rejected by the limit. */
  connectionsRefused(): number
  /** True while the server drains: each connection closes after its answer. */
  isDraining(): boolean
}

export interface HttpAppOptions {
  /** The first part of the paths of our own API; empty if all paths belong to this API. */
  readonly apiPrefix?: string
  readonly trustedProxies?: readonly string[]
  readonly keepAliveMs?: number
  readonly admissionDeadlines?: AdmissionDeadlines
  /** Absent: no limit. */
  readonly maxConnections?: number
  /** Milliseconds that a connection above the limit stays open. */
  readonly probeMs?: number
  readonly stalledResponseMs?: number
}

export function createHttpApp(options: HttpAppOptions = {}): HttpApp {
  const {
    apiPrefix = '',
    trustedProxies,
    keepAliveMs = KEEP_ALIVE_MS,
    admissionDeadlines,
    maxConnections,
    probeMs,
    stalledResponseMs = STALLED_RESPONSE_MS,
  } = options
  const limit = createConnectionLimit(maxConnections, probeMs)
  let hasDrainBegun = false
  let closingSince: number | undefined
  const isDraining = () => hasDrainBegun
  const admission = new AdmissionQueue(admissionDeadlines)
  const clock = new TurnClock()
  let takeCall: TakeCall = () => false
  const resolveSource = createSourceResolver(trustedProxies)
  const app = Fastify({
    logger: false,
    genReqId: () => environment.uuid(),
    rewriteUrl: ({ url = '' }) => toWirePath(url) ?? restoreDotSegments(url),
    forceCloseConnections: 'idle',
    serverFactory: (handle) =>
      spareIdleConnections(
        createLimitedServer(
          limit,
          (socket) => new CallerConnection(socket, admission, clock),
          keepAliveMs,
          (request, response) => {
            if (!takeCall(request, response)) handle(request, response)
          },
        ),
        () => closingSince,
      ),
    return503OnClosing: false, // a call that still arrives is finished like every accepted call
    frameworkErrors: (error, request, reply) => void sendPathProblem(apiPrefix, error, request, reply),
    routerOptions: { maxParamLength: 1_000 },
  })
  app.decorateRequest('source', {
    getter() {
      return resolveSource(this.raw)
    },
  })
  addConnectionHooks(app, clock, stalledResponseMs, isDraining)
  app.decorate('beginDraining', () => {
    hasDrainBegun = true
  })
  app.addHook('preClose', async () => {
    app.beginDraining()
    closingSince = environment.monotonicNow()
  })
  return {
    ...{ app, admission, isDraining, connectionsRefused: limit.refused },
    serveCalls(receive, schemas) {
      takeCall = createCallTaker({ admission, resolveSource, stalledResponseMs, isDraining }, receive)
      return registerCallRoutes(app, takeCall, schemas)
    },
  }
}

function addConnectionHooks(
  app: FastifyInstance,
  clock: TurnClock,
  stalledResponseMs: number,
  isDraining: () => boolean,
): void {
  // Node closes a connection without progress after this time. After the answer it sets another.
  app.addHook('onSend', async ({ raw: { socket } }) => {
    if ('setTimeout' in socket) socket.setTimeout(stalledResponseMs)
  })
  app.addHook('onRequest', (_request, reply, done) => {
    if (isDraining()) reply.header('connection', 'close')
    done()
  })
  app.addHook('onListen', async () => {
    const stop = clock.start()
    app.server.once('close', stop)
  })
}

function createLimitedServer(
  limit: ConnectionLimit,
  wrap: (socket: Socket) => CallerConnection,
  keepAliveTimeout: number,
  handle: RequestListener,
): Server {
  const options = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout,
    connectionsCheckingInterval: REQUEST_CHECK_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
  }
  const server = createServer(options, (request, response) => {
    if (limit.admits(request, response)) handle(request, response)
  })
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    const connection = limit.isProbe(socket) ? socket : wrap(socket)
    for (const accept of listeners) accept.call(server, connection)
  })
  limit.attach(server)
  return server
}

/** Node and Fastify close idle connections when the server closes; they stay open for a while. */
function spareIdleConnections(server: Server, closingSince: () => number | undefined): Server {
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    if (environment.monotonicNow() - (closingSince() ?? 0) >= IDLE_GRACE_MS) closeIdle()
  }
  return server
}

const PATH_FAULTS: Record<string, string> = {
  FST_ERR_BAD_URL: 'the path is not valid percent-encoding',
  FST_ERR_MAX_PARAM_LENGTH: 'a part of the path is too long',
}

/** An unreadable path matches no route, so no hook or error handler of an API runs. */
function sendPathProblem(
  apiPrefix: string,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { statusCode: status = 400, code } = error
  const message = PATH_FAULTS[code] ?? 'the request cannot be read'
  const isOfApi = request.url.startsWith(`${apiPrefix}/`)
  if (!isOfApi) return reply.code(status).send({ statusCode: status, message })
  reply.header('x-request-id', request.id).header('cache-control', 'no-store')
  return sendProblem(reply, new Problem(status, 'invalid_request', message), request)
}

/** `purser_build_info` is always 1; its label is the version. */
function formatProcessMetrics({ admission, connectionsRefused }: HttpApp, isReady: boolean): string {
  return [
    formatMetric('purser_build_info', 'gauge', 'The running version', [[{ version: VERSION }, 1]]),
    formatMetric('purser_ready', 'gauge', '1 when /readyz answers 200', [[{}, isReady ? 1 : 0]]),
    formatMetric('purser_calls_shed_total', 'counter', 'Calls of the partner wire that failed in the admission queue', [
      [{}, admission.shedCalls],
    ]),
    formatMetric(
      'purser_connections_refused_total',
      'counter',
      'Connections that were rejected because PURSER_MAX_CONNECTIONS were open',
      [[{}, connectionsRefused()]],
    ),
  ].join('')
}

/**
 * Milliseconds for which a readiness result is cached, so probes take no connections from calls.
 */
const READY_MS = 500

/**
 * Registers `/healthz`, which never uses the database, and `/readyz`. The answer of `/readyz` is
 * 503 while the server drains, a right is missing, or the database accepts no writes.
 * `missingRights` queries the database.
 */
export function registerHealth(
  http: HttpApp,
  missingRights: () => Promise<readonly string[]>,
  metricSources: readonly MetricSource[],
): void {
  const { app, isDraining } = http
  const loadMissingRights = cacheFor(missingRights, READY_MS, () => environment.monotonicNow())
  const readiness = async () => {
    const missing = isDraining()
      ? 'draining'
      : await withTimeout<readonly string[] | string>(loadMissingRights(), DATABASE_WAIT_MS, describeOutage).catch(
          describeOutage,
        )
    if (typeof missing === 'string') return { status: missing }
    return missing.length > 0 ? { status: 'rights are missing', missing } : READY
  }
  app.get('/healthz', async () => ({ status: 'ok', version: VERSION }))
  app.get('/readyz', async (_request, reply) => {
    const answer = await readiness()
    return reply.code(answer === READY ? 200 : 503).send(answer)
  })
  const metrics = createClusterMetrics(async () => {
    // The pools are measured before the readiness query of this scrape takes a connection.
    const [texts, answer] = await Promise.all([Promise.all(metricSources.map((source) => source.text())), readiness()])
    return [formatProcessMetrics(http, answer === READY), ...texts, formatMetricAges(metricSources)].join('')
  })
  app.get('/metrics', async (_request, reply) => reply.header('content-type', METRICS_TYPE).send(await metrics()))
}

const READY = { status: 'ready' }
const describeOutage = (error?: unknown) =>
  error instanceof ReadOnlyDatabaseError ? 'database takes no writes' : 'database unavailable'
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Closes the server. An answer that is sent during the close leaves an idle connection, which would
 * delay the close. So idle connections are closed repeatedly.
 */
export async function closeApp(app: FastifyInstance): Promise<void> {
  const stopSweeping = environment.setRepeatingTimer(SWEEP_MS, () => app.server.closeIdleConnections())
  const cancelDeadline = environment.setTimer(IDLE_GRACE_MS + SHUTDOWN_GRACE_MS, () => app.server.closeAllConnections())
  await app.close().finally(() => {
    stopSweeping()
    cancelDeadline()
  })
}
