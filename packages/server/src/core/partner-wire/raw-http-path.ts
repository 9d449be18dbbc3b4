/**
 * Raw HTTP path for plain calls of the partner wire, without Node's request and response objects.
 *
 * The streams, listeners and timers that Node creates for each request cost more than the signature
 * and the JSON of a call. The body of a plain request is read as bytes, and its answer is one
 * write. Node's parser, its limits and its time-outs still apply.
 *
 * Other requests take Node's path, in order, after the answers to earlier requests. These include
 * the last request of a connection, and a request that waits for `100 Continue`. A connection is
 * paused while its caller reads no answers, or while a request waits to take Node's path.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type RawResponse, serializeResponse } from './response-serializer.ts'

/** Milliseconds beyond the advertised time, as in Node: a caller that respects it gets no reset. */
const KEEP_ALIVE_SLACK_MS = 1_000
/** Unanswered requests of a connection, above which the connection is paused. */
const MAX_WAITING = 256

export type SendRawResponse = (answer: RawResponse) => void

export type RawDecision =
  /** The body is discarded. */
  | { readonly kind: 'answered'; readonly answer: RawResponse }
  /** `read` gets the complete body, and answers once. */
  | { readonly kind: 'read'; readonly read: (body: Buffer, answer: SendRawResponse) => void }

export interface RawHandler {
  /** Receives each complete head. Undefined: Node's path, as for each request that is not plain. */
  handle(request: IncomingMessage, isPlain: boolean): RawDecision | undefined
  isDraining(): boolean
  /** Milliseconds that an idle connection stays open. */
  readonly keepAliveMs: number
}

/** The return value 0 means that the body follows. */
type OnIncoming = (request: ParsedRequest, staysOpen: boolean) => number
type ParsedRequest = IncomingMessage & { _dumped?: boolean; upgrade?: boolean }
/** Members that Node's HTTP server sets and its types omit. Tests fail if they disappear. */
type ServedSocket = Socket & {
  readonly parser?: { onIncoming?: OnIncoming | null; incoming?: IncomingMessage | null } | null
  readonly _httpMessage?: unknown
}

/** One for each request of a connection, in their order. */
interface PendingResponse {
  answer?: RawResponse
}

/** `socket` is a new connection of Node's HTTP server. */
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
  /** Must not precede a pause: Node would start to read despite the pause. */
  const resumeIfFree = () => {
    if (!isBlocked()) socket.resume()
  }
  socket.on('resume', pauseIfBlocked) // Node resumes by itself after each body.
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
      if (request.upgrade) request.upgrade = request.method === 'CONNECT' // as in Node: no handler here switches protocols
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
        if (parser.incoming === request) parser.incoming = null // An idle connection must not retain a body.
        decision.read(body, answer)
      })
    else {
      request._dumped = true
      answer(decision.answer)
    }
    return 0
  }
}

/** Node's parser calls `push` with each chunk of the body, and then with null. */
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

/** Names are at the even indexes. Node builds `headers` only when it is first read. */
function expectsContinue({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.some((text, i) => i % 2 === 0 && text.length === EXPECT.length && text.toLowerCase() === EXPECT)
}
