/**
 * Forwards a received call to a wallet, and returns the wallet's answer unchanged.
 *
 * The signature covers the bytes of the body (S-2), so no byte of a call changes. A redirect is not
 * followed. A call without a connection has certainly not reached the wallet.
 */
import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Exchange, ReceivedAnswer, SentRequest } from '@purser/conformance/http-exchange'
import { OPERATION_NAMES } from '@purser/conformance/wallet/case/call-name'
import { OPERATIONS, type Operation, parseBetOperation } from '@purser/protocol/operation'
import { trimEndSlashes } from '@purser/protocol/values/base-url'
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'

export interface ProxiedCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** An answer as it can be sent on. `headers` are names and values in turn. */
export interface RawAnswer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer
}

export type Forwarding =
  | { readonly kind: 'answered'; readonly exchange: Exchange; readonly raw: RawAnswer }
  /** The wallet may have received the call. */
  | { readonly kind: 'no answer'; readonly exchange: Exchange }
  /** No connection was opened, so the wallet has not received the call. */
  | { readonly kind: 'unreachable'; readonly why: string }

export interface ForwardingTarget {
  readonly url: string
  /** Sent with each call. */
  readonly headers?: ExtraHeaders | undefined
  /** Keeps connections. Absent: each call has a connection of its own. */
  readonly agent?: Agent | undefined
  /** Ends the calls in progress. */
  readonly signal?: AbortSignal
}

/** Milliseconds. A wallet that answers after the platform's 5 s is still observed. */
const TIMEOUT_MS = 30_000
/** Bytes. A standard answer has about 100, an error page of a framework some ten thousand. */
const MAX_ANSWER_BYTES = 1024 * 1024
/** Headers of one connection, or of the encoding on it. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'content-length', 'host', 'expect'],
])

/** The operation of a call, if the interface has it. */
export function parseOperation({ method, path, body }: Pick<ProxiedCall, 'method' | 'path' | 'body'>) {
  const known = Object.entries(OPERATIONS) as [Operation, (typeof OPERATIONS)[Operation]][]
  if (!path.endsWith(OPERATIONS.place.path))
    return known.find(([, operation]) => path.endsWith(operation.path) && method === operation.method)?.[0]
  return parseBetOperation(method, parseJsonObject(body.toString())?.type)
}

/** `onSent` is called when the connection is open, so before the wallet can receive the call. */
export function forwardCall(
  target: ForwardingTarget,
  call: ProxiedCall,
  onSent: (request: SentRequest, at: Date) => void,
): Promise<Forwarding> {
  const request = toSentRequest(target, call)
  const operation = parseOperation(call)
  const what = operation === undefined ? `${call.method} ${call.path}` : OPERATION_NAMES[operation]
  return new Promise((resolve) => {
    let startedAt: Date | undefined
    let start = 0
    const outgoing = openRequest(request, call.body, target)
    const exchange = (answer: ReceivedAnswer): Exchange => ({
      ...{ what, request, answer, startedAt: startedAt ?? new Date(), durationMs: performance.now() - start },
    })
    const fail = (why: string) => {
      outgoing.destroy()
      resolve(
        startedAt === undefined
          ? { kind: 'unreachable', why }
          : { kind: 'no answer', exchange: exchange({ kind: 'none', why }) },
      )
    }
    outgoing.setTimeout(TIMEOUT_MS, () => fail(`no answer within ${TIMEOUT_MS / 1_000} s`))
    const begin = () => {
      startedAt = new Date()
      start = performance.now()
      onSent(request, startedAt)
    }
    outgoing.once('socket', (socket) => (socket.connecting ? socket.once('connect', begin) : begin()))
    outgoing.once('error', (error) => fail(describeNetworkError(error)))
    outgoing.once('response', (response) => {
      readAnswer(response).then(
        (raw) => resolve({ kind: 'answered', exchange: exchange(toReceivedAnswer(raw)), raw }),
        (error: Error) => fail(describeNetworkError(error)),
      )
    })
    outgoing.end(call.body)
  })
}

function toSentRequest({ url, headers = {} }: ForwardingTarget, call: ProxiedCall): SentRequest {
  const received = Object.entries(call.headers).flatMap(([name, value]): [string, string][] =>
    HOP_BY_HOP.has(name) || value === undefined ? [] : [[name, String(value)]],
  )
  return {
    method: call.method,
    url: `${trimEndSlashes(url)}${call.path}`,
    headers: { ...Object.fromEntries(received), ...headers },
    body: call.body.toString('utf8'),
  }
}

/** The path is sent as it is written, because a URL object would change its dots and slashes. */
function openRequest(
  { method, url, headers }: SentRequest,
  body: Buffer,
  { agent, signal }: ForwardingTarget,
): ClientRequest {
  const { protocol, hostname, port, origin } = new URL(url)
  const open = protocol === 'https:' ? httpsRequest : httpRequest
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2)) || '/'
  return open({
    ...{ protocol, port, method, path, agent: agent ?? false, hostname: hostname.replace(/^\[|\]$/g, '') },
    ...(signal && { signal }),
    headers: { ...headers, host: origin.slice(`${protocol}//`.length), 'content-length': body.length },
  })
}

async function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
  }
  const { rawHeaders, statusCode = 0 } = response
  const headers = rawHeaders.filter((_, i) => !HOP_BY_HOP.has((rawHeaders[i - (i % 2)] ?? '').toLowerCase()))
  return { status: statusCode, headers, body: Buffer.concat(chunks) }
}

function toReceivedAnswer({ status, headers, body }: RawAnswer): ReceivedAnswer {
  const place = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-type')
  const contentType = place < 0 ? '' : (headers[place + 1] ?? '')
  const text = body.toString('utf8')
  const answer = { kind: 'some', status, contentType, body: text } as const
  return Buffer.from(text).equals(body) ? answer : { ...answer, isNotUtf8: true }
}

const NETWORK_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before an answer',
  ENOTFOUND: 'no such host',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'no route to the host',
}

export function describeNetworkError(error: NodeJS.ErrnoException): string {
  // Node tries each address of a host; its joint error has no message.
  const [first] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : []
  const { code, message } = first ?? error
  return NETWORK_ERRORS[code ?? ''] ?? message
}
