/**
 * HTTP layer of the partner wire, shared by wallet and gateway.
 *
 * It determines the arrival time, reads the body as bytes, answers unreadable requests and sends
 * replies. The `WireHandler` of wallet or gateway processes the call.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { OPERATIONS } from '@purser/protocol/operation'
import { LIMITS } from '@purser/protocol/wire-limits'
import type { WireReply } from '@purser/protocol/wire-reply'
import type { MaybePromise } from '@purser/runtime/async/maybe-promise'
import { environment } from '@purser/runtime/environment'
import type { Span, Tracing } from '@purser/runtime/tracing'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { beginSpan } from '../observability/request-span.ts'
import { scheduleWork } from './cooperative-scheduler.ts'
import { type BodyReader, getArrivalTime, type LoadShedder } from './load-shedder.ts'
import { BODILESS_STATUSES, type RawResponse, RESPONSE_HEADERS } from './response-serializer.ts'
import type { ResolveSource } from './source-address.ts'
import { toWirePath } from './wire-path.ts'

/**
 * Endpoints of the interface. The method and `type` of a call to /payment/bet select its operation.
 */
export type Endpoint = 'bet' | 'profile' | 'balance' | 'check'

/** The body stays bytes, because the signature is verified over the received bytes (S-2). */
export interface WireRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** The monotonic time of the first byte. The time limits of a call start there (R-5, W-20). */
  readonly arrivedAt: number
  /** Present if tracing is on. */
  readonly span?: Span | undefined
}

export interface CallMetadata {
  readonly source: string
  /** Empty if the body could not be read. */
  readonly body: Buffer
  /** Milliseconds from the first byte to the complete request, and to the answer. */
  readonly arrivalMs: number
  readonly totalMs: number
  /** The monotonic time at which the request was complete. */
  readonly readAt: number
  /** `onAnswered` must end it. Undefined if tracing is off or the request could not be read. */
  readonly span: Span | undefined
}

export interface WireHandler<Handled extends { readonly reply: WireReply }> {
  handle(endpoint: Endpoint, request: WireRequest): MaybePromise<Handled>
  /** Answers a request that cannot be read, with code 5. */
  handleUnreadable(detail: string): Handled
  /** Answers a call after an error of our code or of a dependency. */
  handleError(error: unknown, operation: 'place' | 'settle'): Handled
  /** Reports an error that affects no answer. */
  onFailure(error: unknown): void
  /** Called after the answer is handed over; an error in it affects no answer. */
  onAnswered(handled: Handled, metadata: CallMetadata): void
  isDraining(): boolean
  readonly tracing?: Tracing | undefined
  /** Only for the API reference: Fastify neither validates nor serializes with them. */
  readonly schemas?: Readonly<Record<'place' | 'change' | 'profile' | 'balance' | 'check', FastifySchema>>
}

declare module 'fastify' {
  interface FastifyRequest {
    arrivedAt: number
  }
}

export interface WireServer {
  readonly app: Pick<FastifyInstance, 'register'>
  readonly loadShedder: Pick<LoadShedder, 'setReader'>
  readonly resolveSource: ResolveSource
}

/** A call with its complete body, from the raw path or from Fastify. */
interface ReceivedCall extends WireRequest {
  readonly path: string
  readonly socket: Socket
  readonly resolveSource: ResolveSource
}

/**
 * Registers the calls of the interface.
 *
 * Plain calls, which are nearly all, bypass Fastify and Node's streams (raw-http-path.ts), because
 * these cost more than the rest of the work. Other calls take a Fastify route. The body parser and
 * the error handler are encapsulated, so no other route uses them.
 */
export async function registerWire<Handled extends { readonly reply: WireReply }>(
  { app, loadShedder, resolveSource }: WireServer,
  handler: WireHandler<Handled>,
): Promise<void> {
  loadShedder.setReader((request) => createBodyReader(handler, resolveSource, request))
  await app.register(async (wire) => {
    keepRawBody(wire)
    // Fastify matches the decoded path, but `/payment/%62et` is not a path of the interface.
    wire.addHook('onRequest', async ({ raw }, reply) => {
      if (toWirePath(raw.url) !== undefined) return
      reply.callNotFound()
      return reply
    })
    wire.setErrorHandler((error: FastifyError, request, reply) => {
      const handled = handleRequestError(handler, error, request)
      sendReply(handler, reply, handled)
      notifyAnswered(handler, handled, toReceivedCall(request, resolveSource), environment.monotonicNow())
    })
    const answer = (endpoint: Endpoint) => (request: FastifyRequest, reply: FastifyReply) =>
      processCall(handler, endpoint, toReceivedCall(request, resolveSource), (handled) =>
        sendReply(handler, reply, handled),
      )
    const { schemas } = handler
    wire.post(OPERATIONS.place.path, toRouteOptions(schemas?.place), answer('bet'))
    wire.put(OPERATIONS.settle.path, toRouteOptions(schemas?.change), answer('bet'))
    for (const endpoint of ['profile', 'balance', 'check'] as const)
      wire.post(OPERATIONS[endpoint].path, toRouteOptions(schemas?.[endpoint]), answer(endpoint))
  })
}

/**
 * Schedules the call. Once it is handled, `send` hands over the answer, and `onAnswered` follows.
 */
function processCall<Handled extends { readonly reply: WireReply }>(
  handler: WireHandler<Handled>,
  endpoint: Endpoint,
  call: ReceivedCall,
  send: (handled: Handled) => void,
): void {
  scheduleWork(() => {
    const readAt = environment.monotonicNow()
    const { tracing } = handler
    const request =
      tracing === undefined ? call : { ...call, span: beginSpan(tracing, call, call.path, call.arrivedAt) }
    const done = (handled: Handled) => {
      send(handled)
      notifyAnswered(handler, handled, request, readAt)
    }
    const broken = (error: unknown) =>
      done(handler.handleError(error, isPlace(request.method, endpoint) ? 'place' : 'settle'))
    try {
      const handled = handler.handle(endpoint, request)
      if (handled instanceof Promise) handled.then(done, broken)
      else done(handled)
    } catch (error) {
      broken(error)
    }
  })
}

function notifyAnswered<Handled extends { readonly reply: WireReply }>(
  handler: WireHandler<Handled>,
  handled: Handled,
  { arrivedAt, body, headers, socket, resolveSource, span }: ReceivedCall,
  readAt: number,
): void {
  const now = environment.monotonicNow()
  const times = { arrivalMs: readAt - arrivedAt, totalMs: now - arrivedAt, readAt }
  try {
    handler.onAnswered(handled, { source: resolveSource({ headers, socket }), body, ...times, span })
  } catch (error) {
    handler.onFailure(error)
  }
}

const ENDPOINTS = new Map<string | undefined, Endpoint>([
  [OPERATIONS.place.path, 'bet'],
  [OPERATIONS.profile.path, 'profile'],
  [OPERATIONS.balance.path, 'balance'],
  [OPERATIONS.check.path, 'check'],
])

function isPlace(method: string | undefined, endpoint: Endpoint): boolean {
  return endpoint === 'bet' && method === OPERATIONS.place.method
}

/** Undefined unless the call has a `content-length` within the limit. */
function createBodyReader<Handled extends { readonly reply: WireReply }>(
  handler: WireHandler<Handled>,
  resolveSource: ResolveSource,
  request: IncomingMessage,
): BodyReader | undefined {
  const { method = '', url, headers, socket } = request
  const path = toWirePath(url) ?? ''
  const endpoint = ENDPOINTS.get(path)
  const isOurs = method === 'POST' || (method === OPERATIONS.settle.method && endpoint === 'bet')
  const bytes = Number.parseInt(headers['content-length'] ?? '', 10)
  const isPlain = headers.host !== undefined && bytes > 0 && bytes <= LIMITS.bodyBytes
  if (endpoint === undefined || !isOurs || !isPlain) return undefined
  const arrivedAt = getArrivalTime(request)
  return (body, answer) =>
    processCall(handler, endpoint, { method, headers, body, arrivedAt, path, socket, resolveSource }, ({ reply }) =>
      answer(toRawResponse(reply)),
    )
}

/** Each character is a byte, so head and body are one string. */
function toRawResponse({ status, body }: WireReply): RawResponse {
  return { status, body: (typeof body === 'string' ? Buffer.from(body) : body).toString('latin1') }
}

const toRouteOptions = (schema: FastifySchema | undefined) => (schema === undefined ? {} : { schema })

const BYTES = 'application/octet-stream'
const NO_BODY = Buffer.alloc(0)

/** The content type is ignored, so an unparsable one must not reach Fastify's 415. */
function keepRawBody(wire: FastifyInstance): void {
  wire.removeAllContentTypeParsers()
  wire.addContentTypeParser(BYTES, { parseAs: 'buffer', bodyLimit: LIMITS.bodyBytes }, (_request, body, done) =>
    done(null, body),
  )
  wire.setValidatorCompiler(() => () => true)
  wire.setSerializerCompiler(() => (body) => body)
  wire.decorateRequest('arrivedAt', 0)
  wire.addHook('onRequest', (request, _reply, done) => {
    request.arrivedAt = getArrivalTime(request.raw)
    request.raw.headers['content-type'] = BYTES
    done()
  })
}

function toReceivedCall(
  { method, headers, body, arrivedAt, routeOptions, socket }: FastifyRequest,
  resolveSource: ResolveSource,
): ReceivedCall {
  const path = routeOptions.url ?? ''
  return { method, headers, body: Buffer.isBuffer(body) ? body : NO_BODY, arrivedAt, path, socket, resolveSource }
}

/** A request that Fastify could not read is code 5. Every other error is a bug. */
function handleRequestError<Handled extends { readonly reply: WireReply }>(
  handler: WireHandler<Handled>,
  error: FastifyError,
  { method, routeOptions }: FastifyRequest,
): Handled {
  const { statusCode = 500 } = error
  if (statusCode === 413) return handler.handleUnreadable(`the body is larger than ${LIMITS.bodyBytes} bytes`)
  if (statusCode < 500) return handler.handleUnreadable('the body cannot be read')
  return handler.handleError(error, isPlace(method, ENDPOINTS.get(routeOptions.url) ?? 'check') ? 'place' : 'settle')
}

const CLOSING_HEADERS = [...RESPONSE_HEADERS, 'connection', 'close']

/** Bypasses Fastify's own reply. */
function sendReply<Handled extends { readonly reply: WireReply }>(
  handler: WireHandler<Handled>,
  reply: FastifyReply,
  handled: Handled,
): void {
  const { status, body } = toRawResponse(handled.reply)
  const isLast = handler.isDraining() || reply.hasHeader('connection') // Fastify reads nothing after an oversized body.
  const head = isLast ? CLOSING_HEADERS : RESPONSE_HEADERS
  const { raw } = reply.hijack()
  raw.writeHead(status, BODILESS_STATUSES.has(status) ? head : [...head, 'content-length', `${body.length}`])
  raw.end(body, 'latin1')
}
