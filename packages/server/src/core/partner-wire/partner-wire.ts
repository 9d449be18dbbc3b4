/**
 * Processing of a call on the partner wire, shared by wallet and gateway: time limits, tracing, and
 * a reply after each error. The `WireHandler` of wallet or gateway decides the reply.
 */
import { OPERATIONS } from '@purser/protocol/operation'
import { LIMITS } from '@purser/protocol/wire-limits'
import type { WireReply } from '@purser/protocol/wire-reply'
import type { MaybePromise } from '@purser/runtime/async/maybe-promise'
import { environment } from '@purser/runtime/environment'
import type { Span, Tracing } from '@purser/runtime/tracing'
import { beginSpan } from '../observability/request-span.ts'
import { type CallSchemas, isPlaceBet, type ReceivedCall, type WireServer } from './call-server.ts'
import { scheduleWork } from './cooperative-scheduler.ts'

/**
 * Endpoints of the interface. The method and `type` of a call to /payment/bet select its operation.
 */
export type Endpoint = 'bet' | 'profile' | 'balance' | 'check'

export interface WireRequest extends Pick<ReceivedCall, 'method' | 'headers' | 'body' | 'arrivedAt'> {
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
  readonly tracing?: Tracing | undefined
  readonly schemas?: CallSchemas
}

const ENDPOINTS = new Map<string, Endpoint>([
  [OPERATIONS.place.path, 'bet'],
  [OPERATIONS.profile.path, 'profile'],
  [OPERATIONS.balance.path, 'balance'],
  [OPERATIONS.check.path, 'check'],
])

/** Registers the calls of the interface. */
export function registerWire<Handled extends { readonly reply: WireReply }>(
  server: WireServer,
  handler: WireHandler<Handled>,
): Promise<void> {
  return server.serveCalls((call, send) => scheduleWork(() => processCall(handler, call, send)), handler.schemas)
}

/** `send` hands over the reply, and `onAnswered` follows. */
function processCall<Handled extends { readonly reply: WireReply }>(
  handler: WireHandler<Handled>,
  call: ReceivedCall,
  send: (reply: WireReply) => void,
): void {
  const readAt = environment.monotonicNow()
  const { tracing } = handler
  const span = tracing && beginSpan(tracing, call, call.path, call.receivedAt)
  const done = (handled: Handled) => {
    send(handled.reply)
    notifyAnswered(handler, handled, call, readAt, span)
  }
  const broken = (error: unknown) =>
    done(handler.handleError(error, isPlaceBet(call.method, call.path) ? 'place' : 'settle'))
  try {
    const handled = handle(handler, call, span)
    if (handled instanceof Promise) handled.then(done, broken)
    else done(handled)
  } catch (error) {
    broken(error)
  }
}

function handle<Handled extends { readonly reply: WireReply }>(
  handler: WireHandler<Handled>,
  call: ReceivedCall,
  span: Span | undefined,
): MaybePromise<Handled> {
  if (call.isTooLong) return handler.handleUnreadable(`the body is larger than ${LIMITS.bodyBytes} bytes`)
  const endpoint = ENDPOINTS.get(call.path) as Endpoint
  return handler.handle(endpoint, span === undefined ? call : { ...call, span })
}

function notifyAnswered<Handled extends { readonly reply: WireReply }>(
  handler: WireHandler<Handled>,
  handled: Handled,
  { receivedAt, body, source }: ReceivedCall,
  readAt: number,
  span: Span | undefined,
): void {
  const now = environment.monotonicNow()
  const times = { arrivalMs: readAt - receivedAt, totalMs: now - receivedAt, readAt }
  try {
    handler.onAnswered(handled, { source, body, ...times, span })
  } catch (error) {
    handler.onFailure(error)
  }
}
