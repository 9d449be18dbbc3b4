/**
 * Answers to calls that nobody reads. For each request Node makes a response with headers, listeners and timers, and ends the stream of
 * its body: half of what failing a call costs. Whatever is not plain takes Node's way: a request behind one whose answer is
 * not out yet, the last one of its connection, one that waits for `100 Continue`.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Milliseconds that a connection may stay without a request. */
export const KEEP_ALIVE_MS = 72_000

/** Answers 0: the body follows. */
type OnIncoming = (request: Dumped, staysOpen: boolean) => number
type Dumped = IncomingMessage & { _dumped?: boolean }
/** What Node's HTTP server has on a connection, and not in its types; a test says when that ends. */
type Served = Socket & { readonly parser?: { onIncoming?: OnIncoming | null } | null; readonly _httpMessage?: unknown }

/**
 * From now on a request on this connection is answered with what `answerTo` says, a whole HTTP message; undefined: it takes Node's
 * way. Returns what ends this.
 */
export function answerUnread(socket: Socket, answerTo: (request: IncomingMessage) => string | undefined): () => void {
  const served = socket as Served
  const { parser } = served
  const usual = parser?.onIncoming
  if (!parser || !usual) return () => {}
  const unread: OnIncoming = (request, staysOpen) => {
    const isPlain = staysOpen && !served._httpMessage && !expectsMore(request)
    const answer = isPlain ? answerTo(request) : undefined
    if (answer === undefined) return usual(request, staysOpen)
    request._dumped = true // the body is thrown away as it comes
    if (!socket.timeout) socket.setTimeout(KEEP_ALIVE_MS)
    socket.write(answer, 'latin1')
    return 0
  }
  parser.onIncoming = unread
  return () => {
    if (parser.onIncoming === unread) parser.onIncoming = usual // else the connection has ended, and it serves another one
  }
}

const EXPECT = 'expect'

/** The names stand at the even places. Node's `headers` would be made for this alone. */
function expectsMore({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.some((text, i) => i % 2 === 0 && text.length === EXPECT.length && text.toLowerCase() === EXPECT)
}
