/**
 * Raw path of HTTP for plain calls of the partner wire, around Node's request and response objects.
 *
 * For each request Node makes a stream and a response with headers, listeners and timers, which cost
 * more than the signature and the JSON of a call. A plain request gets its body as bytes and is
 * answered in one piece. Node's parser, its limits and its time-outs stay.
 *
 * Other requests take Node's way, in order, after the answers to earlier requests: the last request
 * of a connection, and a request that waits for `100 Continue`. A connection is not read further
 * while it takes no answers, or while a request on it waits to take Node's way.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type RawResponse, serializeResponse } from './response-serializer.ts'

/** Milliseconds beyond what is advertised, as Node adds: a caller that keeps to it meets no reset. */
const KEEP_ALIVE_SLACK_MS = 1_000
/** Requests of one connection that wait for the answer to an earlier one; nothing more is read meanwhile. */
const MAX_WAITING = 256

export type SendRawResponse = (answer: RawResponse) => void

/** What becomes of a plain request. */
export type RawDecision =
  /** Its body is thrown away as it comes. */
  | { readonly kind: 'answered'; readonly answer: RawResponse }
  /** `read` is told the body when all of it is there, and answers once. */
  | { readonly kind: 'read'; readonly read: (body: Buffer, answer: SendRawResponse) => void }

export interface RawHandler {
  /** Told of each request as its head is there; undefined: it takes Node's way, as those that are not plain do in any case. */
  handle(request: IncomingMessage, isPlain: boolean): RawDecision | undefined
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
  /** Milliseconds that a connection may stay without a request. */
  readonly keepAliveMs: number
}

/** Answers 0: the body follows. */
type OnIncoming = (request: ParsedRequest, staysOpen: boolean) => number
type ParsedRequest = IncomingMessage & { _dumped?: boolean; upgrade?: boolean }
/** What Node's HTTP server has on a connection, and not in its types; tests say when that ends. */
type ServedSocket = Socket & {
  readonly parser?: { onIncoming?: OnIncoming | null; incoming?: IncomingMessage | null } | null
  readonly _httpMessage?: unknown
}

/** In the order of the requests of a connection. */
interface PendingResponse {
  answer?: RawResponse
}

/** For a connection that Node's HTTP server has just got. */
export function attachRawPath(socket: Socket, { handle, isDraining, keepAliveMs }: RawHandler): void {
  const served = socket as ServedSocket
  const { parser } = served
  const onIncoming = parser?.onIncoming
  if (!parser || !onIncoming) return
  const pendingResponses: PendingResponse[] = []
  const deferredRequests: (() => void)[] = []
  const isBlocked = () =>
    deferredRequests.length > 0 || pendingResponses.length >= MAX_WAITING || socket.writableNeedDrain
  const pauseIfBlocked = () => {
    if (isBlocked()) socket.pause()
  }
  /** Not before a pause: Node would begin to read all the same. */
  const resumeIfFree = () => {
    if (!isBlocked()) socket.resume()
  }
  socket.on('resume', pauseIfBlocked) // Node reads on by itself behind each body
  socket.on('drain', resumeIfFree)
  const flush = () => {
    const wasBlocked = isBlocked()
    for (let first = pendingResponses[0]; first?.answer !== undefined; first = pendingResponses[0]) {
      pendingResponses.shift()
      const isLast = isDraining() && pendingResponses.length + deferredRequests.length === 0
      if (!socket.destroyed) socket.write(serializeResponse(first.answer, isLast ? undefined : keepAliveMs), 'latin1')
      if (isLast) socket.destroySoon()
    }
    if (pendingResponses.length === 0) for (const start of deferredRequests.splice(0)) start()
    pauseIfBlocked()
    if (wasBlocked) resumeIfFree()
  }
  parser.onIncoming = (request, staysOpen) => {
    const isNext = deferredRequests.length === 0 && !served._httpMessage
    const decision = handle(request, isNext && staysOpen && !request.upgrade && !expectsContinue(request))
    if (decision === undefined && pendingResponses.length === 0) return onIncoming(request, staysOpen)
    if (decision === undefined) {
      if (request.upgrade) request.upgrade = request.method === 'CONNECT' // as Node itself: nobody here takes another protocol
      deferredRequests.push(() => !socket.destroyed && onIncoming(request, staysOpen))
      pauseIfBlocked()
      return 0
    }
    const pendingResponse: PendingResponse = {}
    pendingResponses.push(pendingResponse)
    pauseIfBlocked()
    const answer: SendRawResponse = (given) => {
      pendingResponse.answer = given
      flush()
    }
    if (!socket.timeout) socket.setTimeout(keepAliveMs + KEEP_ALIVE_SLACK_MS)
    if (decision.kind === 'read')
      readBody(request, (body) => {
        if (parser.incoming === request) parser.incoming = null // an idle connection keeps no body
        decision.read(body, answer)
      })
    else {
      request._dumped = true
      answer(decision.answer)
    }
    return 0
  }
}

/** Node's parser hands the pieces of a body, and null behind them, to `push`. */
function readBody(request: ParsedRequest, done: (body: Buffer) => void): void {
  const pieces: Buffer[] = []
  request.push = (piece: Buffer | null) => {
    if (piece === null) done(concatPieces(pieces))
    else pieces.push(piece)
    return true
  }
}

function concatPieces(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
}

const EXPECT = 'expect'

/** The names stand at the even places. Node's `headers` would be made for this alone. */
function expectsContinue({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.some((text, i) => i % 2 === 0 && text.length === EXPECT.length && text.toLowerCase() === EXPECT)
}
