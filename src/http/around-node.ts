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
import { type WireAnswer, wholeAnswer } from './answer.ts'

/** Milliseconds beyond what is advertised, as Node adds: a caller that keeps to it meets no reset. */
const LATE_MS = 1_000
/** Requests of one connection that wait for the answer to an earlier one; nothing more is read meanwhile. */
const MAX_WAITING = 256

export type Answer = (answer: WireAnswer) => void

/** What becomes of a plain request. */
export type Taken =
  /** Its body is thrown away as it comes. */
  | { readonly kind: 'answered'; readonly answer: WireAnswer }
  /** `read` is told the body when all of it is there, and answers once. */
  | { readonly kind: 'read'; readonly read: (body: Buffer, answer: Answer) => void }

export interface Taking {
  /** Told of each request as its head is there; undefined: it takes Node's way, as those that are not plain do in any case. */
  take(request: IncomingMessage, isPlain: boolean): Taken | undefined
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
  /** Milliseconds that a connection may stay without a request. */
  readonly keepAliveMs: number
}

/** Answers 0: the body follows. */
type OnIncoming = (request: Parsed, staysOpen: boolean) => number
type Parsed = IncomingMessage & { _dumped?: boolean; upgrade?: boolean }
/** What Node's HTTP server has on a connection, and not in its types; tests say when that ends. */
type Served = Socket & {
  readonly parser?: { onIncoming?: OnIncoming | null; incoming?: IncomingMessage | null } | null
  readonly _httpMessage?: unknown
}

/** In the order of the requests of a connection. */
interface Place {
  answer?: WireAnswer
}

/** For a connection that Node's HTTP server has just got. */
export function aroundNode(socket: Socket, { take, isDraining, keepAliveMs }: Taking): void {
  const served = socket as Served
  const { parser } = served
  const onIncoming = parser?.onIncoming
  if (!parser || !onIncoming) return
  const places: Place[] = []
  const behind: (() => void)[] = []
  const isHeld = () => behind.length > 0 || places.length >= MAX_WAITING || socket.writableNeedDrain
  const hold = () => {
    if (isHeld()) socket.pause()
  }
  /** Not before a pause: Node would begin to read all the same. */
  const readOn = () => {
    if (!isHeld()) socket.resume()
  }
  socket.on('resume', hold) // Node reads on by itself behind each body
  socket.on('drain', readOn)
  const flush = () => {
    const wasHeld = isHeld()
    for (let first = places[0]; first?.answer !== undefined; first = places[0]) {
      places.shift()
      const isLast = isDraining() && places.length + behind.length === 0
      if (!socket.destroyed) socket.write(wholeAnswer(first.answer, isLast ? undefined : keepAliveMs), 'latin1')
      if (isLast) socket.destroySoon()
    }
    if (places.length === 0) for (const begin of behind.splice(0)) begin()
    hold()
    if (wasHeld) readOn()
  }
  parser.onIncoming = (request, staysOpen) => {
    const isNext = behind.length === 0 && !served._httpMessage
    const taken = take(request, isNext && staysOpen && !request.upgrade && !expectsMore(request))
    if (taken === undefined && places.length === 0) return onIncoming(request, staysOpen)
    if (taken === undefined) {
      if (request.upgrade) request.upgrade = request.method === 'CONNECT' // as Node itself: nobody here takes another protocol
      behind.push(() => !socket.destroyed && onIncoming(request, staysOpen))
      hold()
      return 0
    }
    const place: Place = {}
    places.push(place)
    hold()
    const answer: Answer = (given) => {
      place.answer = given
      flush()
    }
    if (!socket.timeout) socket.setTimeout(keepAliveMs + LATE_MS)
    if (taken.kind === 'read')
      readBody(request, (body) => {
        if (parser.incoming === request) parser.incoming = null // an idle connection keeps no body
        taken.read(body, answer)
      })
    else {
      request._dumped = true
      answer(taken.answer)
    }
    return 0
  }
}

/** Node's parser hands the pieces of a body, and null behind them, to `push`. */
function readBody(request: Parsed, done: (body: Buffer) => void): void {
  const pieces: Buffer[] = []
  request.push = (piece: Buffer | null) => {
    if (piece === null) done(joined(pieces))
    else pieces.push(piece)
    return true
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
}

const EXPECT = 'expect'

/** The names stand at the even places. Node's `headers` would be made for this alone. */
function expectsMore({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.some((text, i) => i % 2 === 0 && text.length === EXPECT.length && text.toLowerCase() === EXPECT)
}
