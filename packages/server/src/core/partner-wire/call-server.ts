/**
 * HTTP side of the partner wire: it reads the body of a call as bytes, answers calls that the
 * admission queue fails, and writes the reply.
 *
 * Calls bypass Fastify, whose objects cost more than the signature of a call.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { OPERATIONS } from '@purser/protocol/operation'
import { LIMITS } from '@purser/protocol/wire-limits'
import { createFailure, type WireReply } from '@purser/protocol/wire-reply'
import { environment } from '@purser/runtime/environment'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { AdmissionQueue } from './admission-queue.ts'
import { type Arrival, CallerConnection } from './caller-connection.ts'
import type { ResolveSource } from './source-address.ts'

/** The body stays bytes, because the signature is verified over the received bytes (S-2). */
export interface ReceivedCall extends Arrival {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** The body is longer than allowed, and `body` is empty. */
  readonly isTooLong: boolean
  readonly source: string
}

/** Processes a call and sends its reply once. */
export type ReceiveCall = (call: ReceivedCall, send: (reply: WireReply) => void) => void

/** Only for the API reference: Fastify neither validates nor serializes with them. */
export type CallSchemas = Readonly<Record<'place' | 'change' | 'profile' | 'balance' | 'check', FastifySchema>>

export interface WireServer {
  /** Registers the paths of the interface. */
  serveCalls(receive: ReceiveCall, schemas?: CallSchemas): Promise<void>
}

export interface CallServerDeps {
  readonly admission: AdmissionQueue
  readonly resolveSource: ResolveSource
  /** Milliseconds without progress, after which the connection of an unread answer is closed. */
  readonly stalledResponseMs: number
  /** True while the server drains: each connection closes after its last answer. */
  isDraining(): boolean
}

/** Takes the request and returns true if it is a call. */
export type TakeCall = (request: IncomingMessage, response: ServerResponse) => boolean

export function createCallTaker(deps: CallServerDeps, receive: ReceiveCall): TakeCall {
  return (request, response) => {
    const path = toWirePath(request.url)
    const isCall = request.method === 'POST' || (request.method === 'PUT' && path === OPERATIONS.settle.path)
    if (path === undefined || !isCall) return false
    receiveRequest(deps, receive, path, request, response)
    return true
  }
}

/** Routes for the API reference, and for requests that are injected without a connection. */
export async function registerCallRoutes(
  app: FastifyInstance,
  takeCall: TakeCall,
  schemas?: CallSchemas,
): Promise<void> {
  await app.register(async (wire) => {
    wire.setValidatorCompiler(() => () => true)
    wire.setSerializerCompiler(() => (body) => body)
    wire.addHook('onRequest', (request, reply, done) => {
      // Fastify matches the decoded path, but `/payment/%62et` is not a path of the interface.
      if (takeCall(request.raw, reply.raw)) reply.hijack()
      else reply.callNotFound()
      done()
    })
    const { place, settle, profile, balance, check } = OPERATIONS
    const isAnswered = async () => {}
    wire.post(place.path, { schema: schemas?.place ?? {} }, isAnswered)
    wire.put(settle.path, { schema: schemas?.change ?? {} }, isAnswered)
    wire.post(profile.path, { schema: schemas?.profile ?? {} }, isAnswered)
    wire.post(balance.path, { schema: schemas?.balance ?? {} }, isAnswered)
    wire.post(check.path, { schema: schemas?.check ?? {} }, isAnswered)
  })
}

const NO_BODY = Buffer.alloc(0)

function receiveRequest(
  deps: CallServerDeps,
  receive: ReceiveCall,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method = '', headers, socket } = request
  const connection = socket instanceof CallerConnection ? socket : undefined
  const source = deps.resolveSource(request)
  const send = (reply: WireReply, isTooLong = false) => {
    const isLast = deps.isDraining() && connection?.isNewest(request) !== false
    sendReply(response, reply, isLast || isTooLong)
    if (socket.writableLength > 0) socket.setTimeout(deps.stalledResponseMs)
  }
  const arrival = connection === undefined ? arrivesNow() : connection.arrivalOf(request)
  if (arrival === undefined) {
    deps.admission.shedCalls += 1
    send(createFailure(isPlaceBet(method, path) ? 'place' : 'settle'))
    return
  }
  readBody(request, (whole) => {
    const isTooLong = whole === undefined
    receive({ method, path, headers, body: whole ?? NO_BODY, isTooLong, source, ...arrival }, (reply) =>
      send(reply, isTooLong),
    )
  })
}

function arrivesNow(): Arrival {
  const now = environment.monotonicNow()
  return { arrivedAt: now, receivedAt: now }
}

/** A failed Place bet gets another status than other calls. */
export function isPlaceBet(method: string, path: string): boolean {
  return method === OPERATIONS.place.method && path === OPERATIONS.place.path
}

/** `done` gets undefined as soon as the body is too long. It is not called if the caller aborts. */
function readBody(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  if (Number.parseInt(request.headers['content-length'] ?? '0', 10) > LIMITS.bodyBytes) {
    done(undefined)
    return
  }
  const pieces: Buffer[] = []
  let bytes = 0
  request.on('data', (piece: Buffer) => {
    bytes += piece.length
    pieces.push(piece)
    if (bytes <= LIMITS.bodyBytes) return
    request.removeAllListeners('data').pause()
    done(undefined)
  })
  request.on('end', () => done(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)))
}

const HEADERS = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']
const CLOSING_HEADERS = [...HEADERS, 'connection', 'close']
/** They have no body (RFC 9110, 15.3.5 and 15.4.5). An operator may answer with one. */
const BODILESS_STATUSES = new Set([204, 304])

function sendReply(response: ServerResponse, { status, body }: WireReply, isLast: boolean): void {
  const headers = isLast ? CLOSING_HEADERS : HEADERS
  const hasBody = !BODILESS_STATUSES.has(status)
  response.writeHead(status, hasBody ? [...headers, 'content-length', `${Buffer.byteLength(body)}`] : headers)
  response.end(hasBody ? body : undefined)
}

const WIRE_PATHS = new Set<string>(Object.values(OPERATIONS).map(({ path }) => path))

/**
 * The normalized path of a wire call. Undefined if the URL is not of the wire. The query is
 * ignored.
 *
 * A base URL that ends with a slash results in `//payment/bet`, so repeated slashes count as one
 * (D-4). Paths of our own APIs are not normalized, because an empty part could be a player's id.
 */
export function toWirePath(url = ''): string | undefined {
  if (WIRE_PATHS.has(url)) return url
  const path = url.split('?', 1)[0]?.replaceAll(/\/{2,}/g, '/') ?? ''
  return WIRE_PATHS.has(path) ? path : undefined
}
