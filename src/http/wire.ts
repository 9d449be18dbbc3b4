/**
 * The skeleton of the partner wire, which wallet and gateway share: when a call arrived, its body as bytes, what could not
 * be read, its answer. What a call comes to is theirs.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { LIMITS } from '../protocol/limits.ts'
import { OPERATIONS } from '../protocol/operation.ts'
import type { WireReply } from '../protocol/reply.ts'
import type { Soon } from '../runtime/soon.ts'
import type { Span, Tracing } from '../runtime/tracing.ts'
import { world } from '../runtime/world.ts'
import { HEADERS, WITHOUT_BODY, type WireAnswer } from './answer.ts'
import { arrivalOf, type Door, type Read } from './door.ts'
import type { SourceOf } from './source.ts'
import { beginSpan } from './span.ts'
import { inTurn } from './turns.ts'
import { wirePathOf } from './wire-path.ts'

/** Which route a call came by; the operations of /payment/bet are told apart by method and type. */
export type Endpoint = 'bet' | 'profile' | 'balance' | 'check'

/** A call as it came: the signature is over the bytes, so a body stays bytes until it is verified (S-2). */
export interface WireRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** The time of its first byte, as world.elapsed() gives it: what a call may take is counted from there (R-5, W-20). */
  readonly arrivedAt: number
  /** Where tracing is on. */
  readonly span?: Span | undefined
}

/** What is known of every call, whatever it came to. */
export interface Seen {
  /** The address of the other end of the connection, or the one that a trusted proxy names. */
  readonly source: string
  /** Empty when it could not be read. */
  readonly body: Buffer
  /** Milliseconds from its first byte until all of it was there, and until its answer goes out. */
  readonly arrivalMs: number
  readonly totalMs: number
  /** When all of it was there, as world.elapsed() gives it. */
  readonly readAt: number
  /** To be ended by whoever is told; undefined where tracing is off, or it could not be read. */
  readonly span: Span | undefined
}

export interface WireSide<Handled extends { readonly reply: WireReply }> {
  handle(endpoint: Endpoint, request: WireRequest): Soon<Handled>
  /** A request that could not be read: code 5. */
  unreadable(detail: string): Handled
  /** Something was thrown: a bug, or a dependency that is broken. */
  broken(error: unknown, operation: 'place' | 'settle'): Handled
  /** Told of a defect on which no answer depends. */
  onFailure(error: unknown): void
  /** Told when the answer has been handed over; what it throws keeps nothing back. */
  answered(handled: Handled, seen: Seen): void
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
  readonly tracing?: Tracing | undefined
  /** For the API reference only: Fastify checks and renders nothing. */
  readonly schemas?: Readonly<Record<'place' | 'change' | 'profile' | 'balance' | 'check', FastifySchema>>
}

declare module 'fastify' {
  interface FastifyRequest {
    arrivedAt: number
  }
}

/** Where calls come in. */
export interface Entrance {
  readonly app: Pick<FastifyInstance, 'register'>
  readonly door: Pick<Door, 'handsTo'>
  readonly sourceOf: SourceOf
}

/** A call whose body is there, whichever way it came. */
interface Came extends WireRequest {
  readonly path: string
  readonly socket: Socket
  readonly sourceOf: SourceOf
}

/**
 * Registers the calls of the interface: nearly all of them are read and answered around Fastify and Node's streams (around-node.ts), which cost more
 * than all the rest of them; what is not plain takes a route. Encapsulated: its body parser and error handler reach no other route.
 */
export async function registerWire<Handled extends { readonly reply: WireReply }>(
  { app, door, sourceOf }: Entrance,
  side: WireSide<Handled>,
): Promise<void> {
  door.handsTo((request) => readerOf(side, sourceOf, request))
  await app.register(async (wire) => {
    keepBytes(wire)
    // Routes are found by what a path decodes to: `/payment/%62et` is none of the interface.
    wire.addHook('onRequest', async ({ raw }, reply) => {
      if (wirePathOf(raw.url) !== undefined) return
      reply.callNotFound()
      return reply
    })
    wire.setErrorHandler((error: FastifyError, request, reply) => {
      const handled = handledError(side, error, request)
      send(side, reply, handled)
      tell(side, handled, toCame(request, sourceOf), world.elapsed())
    })
    const answer = (endpoint: Endpoint) => (request: FastifyRequest, reply: FastifyReply) =>
      work(side, endpoint, toCame(request, sourceOf), (handled) => send(side, reply, handled))
    const { schemas } = side
    wire.post(OPERATIONS.place.path, shown(schemas?.place), answer('bet'))
    wire.put(OPERATIONS.settle.path, shown(schemas?.change), answer('bet'))
    for (const endpoint of ['profile', 'balance', 'check'] as const)
      wire.post(OPERATIONS[endpoint].path, shown(schemas?.[endpoint]), answer(endpoint))
  })
}

/** In a turn of its own: the call is handled, `send` hands its answer over, and the side is told. */
function work<Handled extends { readonly reply: WireReply }>(
  side: WireSide<Handled>,
  endpoint: Endpoint,
  came: Came,
  send: (handled: Handled) => void,
): void {
  inTurn(() => {
    const readAt = world.elapsed()
    const { tracing } = side
    const request =
      tracing === undefined ? came : { ...came, span: beginSpan(tracing, came, came.path, came.arrivedAt) }
    const done = (handled: Handled) => {
      send(handled)
      tell(side, handled, request, readAt)
    }
    const broken = (error: unknown) => done(side.broken(error, isPlace(request.method, endpoint) ? 'place' : 'settle'))
    try {
      const handled = side.handle(endpoint, request)
      if (handled instanceof Promise) handled.then(done, broken)
      else done(handled)
    } catch (error) {
      broken(error)
    }
  })
}

/** What is told of a call never keeps its answer back. */
function tell<Handled extends { readonly reply: WireReply }>(
  side: WireSide<Handled>,
  handled: Handled,
  { arrivedAt, body, headers, socket, sourceOf, span }: Came,
  readAt: number,
): void {
  const now = world.elapsed()
  const times = { arrivalMs: readAt - arrivedAt, totalMs: now - arrivedAt, readAt }
  try {
    side.answered(handled, { source: sourceOf({ headers, socket }), body, ...times, span })
  } catch (error) {
    side.onFailure(error)
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

/** Of a call that says how long its body is, and has one that is not too long. */
function readerOf<Handled extends { readonly reply: WireReply }>(
  side: WireSide<Handled>,
  sourceOf: SourceOf,
  request: IncomingMessage,
): Read | undefined {
  const { method = '', url, headers, socket } = request
  const path = wirePathOf(url) ?? ''
  const endpoint = ENDPOINTS.get(path)
  const isOurs = method === 'POST' || (method === OPERATIONS.settle.method && endpoint === 'bet')
  const bytes = Number.parseInt(headers['content-length'] ?? '', 10)
  const isPlain = headers.host !== undefined && bytes > 0 && bytes <= LIMITS.bodyBytes
  if (endpoint === undefined || !isOurs || !isPlain) return undefined
  const arrivedAt = arrivalOf(request)
  return (body, answer) =>
    work(side, endpoint, { method, headers, body, arrivedAt, path, socket, sourceOf }, ({ reply }) =>
      answer(inBytes(reply)),
    )
}

/** Each character is a byte: head and body go out as one text. */
function inBytes({ status, body }: WireReply): WireAnswer {
  return { status, body: (typeof body === 'string' ? Buffer.from(body) : body).toString('latin1') }
}

const shown = (schema: FastifySchema | undefined) => (schema === undefined ? {} : { schema })

const BYTES = 'application/octet-stream'
const NO_BODY = Buffer.alloc(0)

/** the content type is not looked at, so an unparsable one must not get as far as Fastify's 415. */
function keepBytes(wire: FastifyInstance): void {
  wire.removeAllContentTypeParsers()
  wire.addContentTypeParser(BYTES, { parseAs: 'buffer', bodyLimit: LIMITS.bodyBytes }, (_request, body, done) =>
    done(null, body),
  )
  wire.setValidatorCompiler(() => () => true)
  wire.setSerializerCompiler(() => (body) => body)
  wire.decorateRequest('arrivedAt', 0)
  wire.addHook('onRequest', (request, _reply, done) => {
    request.arrivedAt = arrivalOf(request.raw)
    request.raw.headers['content-type'] = BYTES
    done()
  })
}

function toCame({ method, headers, body, arrivedAt, routeOptions, socket }: FastifyRequest, sourceOf: SourceOf): Came {
  const path = routeOptions.url ?? ''
  return { method, headers, body: Buffer.isBuffer(body) ? body : NO_BODY, arrivedAt, path, socket, sourceOf }
}

/** A request that Fastify could not read is code 5; anything else that is thrown is a bug. */
function handledError<Handled extends { readonly reply: WireReply }>(
  side: WireSide<Handled>,
  error: FastifyError,
  { method, routeOptions }: FastifyRequest,
): Handled {
  const { statusCode = 500 } = error
  if (statusCode === 413) return side.unreadable(`the body is larger than ${LIMITS.bodyBytes} bytes`)
  if (statusCode < 500) return side.unreadable('the body cannot be read')
  return side.broken(error, isPlace(method, ENDPOINTS.get(routeOptions.url) ?? 'check') ? 'place' : 'settle')
}

const LAST_HEAD = [...HEADERS, 'connection', 'close']

/** Around Fastify's way with a reply. */
function send<Handled extends { readonly reply: WireReply }>(
  side: WireSide<Handled>,
  reply: FastifyReply,
  handled: Handled,
): void {
  const { status, body } = inBytes(handled.reply)
  const isLast = side.isDraining() || reply.hasHeader('connection') // Fastify reads nothing behind a body that is too large
  const head = isLast ? LAST_HEAD : HEADERS
  const { raw } = reply.hijack()
  raw.writeHead(status, WITHOUT_BODY.has(status) ? head : [...head, 'content-length', `${body.length}`])
  raw.end(body, 'latin1')
}
