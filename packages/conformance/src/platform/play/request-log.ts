/**
 * Log of the requests to the mock wallet: the bytes, the time of arrival, and the answer or broken
 * connection.
 */

import { type BetOperation, OPERATIONS, parseBetOperation } from '@purser/protocol/operation'
import { parseJsonObject } from '@purser/protocol/values/exact-json'

export interface KitPlayer {
  readonly token: string
  readonly userId: string
  readonly currency: string
  /** Set if the platform calls through an aggregator. */
  readonly operatorUser?: string
}

export interface KitPartner {
  readonly partnerId: string
  readonly baseUrl: string
  readonly secret: string
  /** Every player who ever had a token here, by token. */
  readonly players: Map<string, KitPlayer>
}

export type ReceivedCallKind = BetOperation | 'profile' | 'other'

export interface RecordedRequest {
  readonly call: ReceivedCallKind
  readonly partner: KitPartner
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
  /** Empty if the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>
  /** Arrival of the whole request, in milliseconds of the kit's monotonic clock. */
  readonly at: number
  /** Absent while the kit has not answered and the connection is open. */
  ended?: RequestEnd
}

export interface RequestEnd {
  readonly at: number
  /** Null if the connection ended without an answer. */
  readonly status: number | null
  readonly body: string
}

/** Relative to the partner's address. Any other path is no call of the interface. */
export function classifyRequest(method: string, path: string, type: unknown): ReceivedCallKind {
  if (method === 'POST' && path === OPERATIONS.profile.path) return 'profile'
  return (path === OPERATIONS.place.path && parseBetOperation(method, type)) || 'other'
}

export function parseRequestBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  return parseJsonObject(bytes.toString('utf8')) ?? {}
}

export interface RequestLog {
  readonly calls: readonly RecordedRequest[]
  add(call: RecordedRequest): void
  of(call: ReceivedCallKind): readonly RecordedRequest[]
  /** In the order of their Place bets. */
  bets(): readonly string[]
  /** False after `idleTimeoutMs` without a call, or after `withinMs`. */
  waitFor(call: ReceivedCallKind, count: number, limits: { idleTimeoutMs: number; withinMs?: number }): Promise<boolean>
}

/** `signal` ends every wait. */
export function createRequestLog(signal: AbortSignal): RequestLog {
  const calls: RecordedRequest[] = []
  const listeners = new Set<() => void>()
  signal.addEventListener('abort', () => {
    for (const listener of listeners) listener()
  })
  const of = (call: ReceivedCallKind) => calls.filter((received) => received.call === call)
  return {
    calls,
    of,
    add(call) {
      calls.push(call)
      for (const listener of listeners) listener()
    },
    bets: () => [...new Set(of('place').map(({ body }) => String(body.transactionId)))],
    async waitFor(call, count, { idleTimeoutMs, withinMs = Number.POSITIVE_INFINITY }) {
      const giveUpAt = performance.now() + withinMs
      while (of(call).length < count && !signal.aborted) {
        const left = Math.min(idleTimeoutMs, giveUpAt - performance.now())
        if (left <= 0 || !(await nextArrival(listeners, left))) return of(call).length >= count
      }
      return of(call).length >= count
    },
  }
}

/** False if no call arrived in time. */
function nextArrival(listeners: Set<() => void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasCome: boolean) => {
      clearTimeout(timer)
      listeners.delete(listener)
      resolve(hasCome)
    }
    const listener = () => end(true)
    const timer = setTimeout(() => end(false), ms)
    listeners.add(listener)
  })
}
