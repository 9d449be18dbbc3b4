/**
 * The skeleton of the partner wire, which wallet and gateway share: when a call arrived, its body as bytes, what could not
 * be read, its answer. What a call comes to is theirs.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { LIMITS } from '../protocol/limits.ts'
import { OPERATIONS } from '../protocol/operation.ts'
import type { WireReply } from '../protocol/reply.ts'
import type { Soon } from '../runtime/soon.ts'
import type { Span, Tracing } from '../runtime/tracing.ts'
import { arrivalOf } from './door.ts'
import { beginSpan } from './span.ts'
import { inTurn } from './turns.ts'

/** Which route a call came by; the operations of /payment/bet are told apart by method and type. */
export type Endpoint = 'bet' | 'profile' | 'balance' | 'check'

/** A call as it came: the signature is over the bytes, so a body stays bytes until it is verified (S-2). */
export interface WireRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** The time of its first byte, as performance.now() gives it: what a call may take is counted from there (R-5, W-20). */
  readonly arrivedAt: number
  /** Where tracing is on. */
  readonly span?: Span | undefined
}

/** What is known of every call, whatever it came to. */
export interface Seen {
  /** The address of the other end of the connection. */
  readonly source: string
  /** Empty when it could not be read. */
  readonly body: Buffer
  /** Milliseconds from its first byte until all of it was there, and until its answer goes out. */
  readonly arrivalMs: number
  readonly totalMs: number
  /** When all of it was there, as performance.now() gives it. */
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
    readAt: number
  }
}

/** Registers the calls of the interface. Encapsulated: its body parser and error handler reach no other route. */
export async function registerWire<Handled extends { readonly reply: WireReply }>(
  app: FastifyInstance,
  side: WireSide<Handled>,
): Promise<void> {
  await app.register(async (wire) => {
    keepBytes(wire)
    const { tracing } = side
    wire.setErrorHandler((error: FastifyError, request, reply) =>
      finish(side, request, reply, handledError(side, error, request)),
    )
    /** Fastify's way with promises would wait for each reply to be sent; this path is the hot one. */
    const answer = (endpoint: Endpoint) => (request: FastifyRequest, reply: FastifyReply) =>
      inTurn(() => {
        request.readAt = performance.now()
        if (tracing !== undefined) request.span = beginSpan(tracing, request, request.arrivedAt)
        const done = (handled: Handled) => finish(side, request, reply, handled)
        const broken = (error: unknown) => void reply.send(error)
        try {
          const handled = side.handle(endpoint, toWire(request))
          if (handled instanceof Promise) handled.then(done, broken)
          else done(handled)
        } catch (error) {
          broken(error)
        }
      })
    const { schemas } = side
    wire.post(OPERATIONS.place.path, shown(schemas?.place), answer('bet'))
    wire.put(OPERATIONS.settle.path, shown(schemas?.change), answer('bet'))
    for (const endpoint of ['profile', 'balance', 'check'] as const)
      wire.post(OPERATIONS[endpoint].path, shown(schemas?.[endpoint]), answer(endpoint))
  })
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
  wire.decorateRequest('readAt', 0)
  wire.decorateRequest('span', undefined)
  wire.addHook('onRequest', (request, _reply, done) => {
    request.arrivedAt = arrivalOf(request.raw)
    request.raw.headers['content-type'] = BYTES
    done()
  })
}

function toWire({ method, headers, body, arrivedAt, span }: FastifyRequest): WireRequest {
  return { method, headers, body: Buffer.isBuffer(body) ? body : NO_BODY, arrivedAt, span }
}

/** A request that Fastify could not read is code 5; anything else that is thrown is a bug or a broken dependency. */
function handledError<Handled extends { readonly reply: WireReply }>(
  side: WireSide<Handled>,
  error: FastifyError,
  { method, routeOptions }: FastifyRequest,
): Handled {
  const { statusCode = 500 } = error
  if (statusCode === 413) return side.unreadable(`the body is larger than ${LIMITS.bodyBytes} bytes`)
  if (statusCode < 500) return side.unreadable('the body cannot be read')
  const isPlace = method === OPERATIONS.place.method && routeOptions.url === OPERATIONS.place.path
  return side.broken(error, isPlace ? 'place' : 'settle')
}

const HEAD = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']
const LAST_HEAD = [...HEAD, 'connection', 'close']
/** Node sends no body with them (RFC 9110, 15.3.5 and 15.4.5). An operator's answer can be one. */
const WITHOUT_BODY = new Set([204, 304])

/** Around Fastify, whose way with a reply costs more than all the rest of it. Each character is a byte: Node sends head and body as one text. */
function finish<Handled extends { readonly reply: WireReply }>(
  side: WireSide<Handled>,
  request: FastifyRequest,
  reply: FastifyReply,
  handled: Handled,
): void {
  const { status, body } = handled.reply
  const text = (typeof body === 'string' ? Buffer.from(body) : body).toString('latin1')
  const isLast = side.isDraining() || reply.hasHeader('connection') // Fastify reads nothing behind a body that is too large
  const head = isLast ? LAST_HEAD : HEAD
  const { raw } = reply.hijack()
  raw.writeHead(status, WITHOUT_BODY.has(status) ? head : [...head, 'content-length', `${text.length}`])
  raw.end(text, 'latin1')
  try {
    side.answered(handled, seenOf(request))
  } catch (error) {
    side.onFailure(error) // what is told of a call never keeps its answer back
  }
}

function seenOf({ arrivedAt, readAt, body, socket, span }: FastifyRequest): Seen {
  const now = performance.now()
  return {
    source: socket.remoteAddress ?? '',
    body: Buffer.isBuffer(body) ? body : NO_BODY,
    arrivalMs: (readAt || now) - arrivedAt,
    totalMs: now - arrivedAt,
    readAt: readAt || now,
    span,
  }
}
