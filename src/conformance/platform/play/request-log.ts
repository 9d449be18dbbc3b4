/** What came to the kit's wallet: every request with its bytes and times, and how it ended. */

import { type BetOperation, OPERATIONS, parseBetOperation } from '../../../protocol/operation.ts'
import { parseJsonObject } from '../../../protocol/values/exact-json.ts'

export interface KitPlayer {
  readonly token: string
  readonly userId: string
  readonly currency: string
  /** Behind an aggregator. */
  readonly operatorUser?: string
}

/** A partner that the kit plays. */
export interface KitPartner {
  readonly partnerId: string
  /** Where it answers. */
  readonly baseUrl: string
  readonly secret: string
  /** Everybody who ever had a token here, by token. */
  readonly players: Map<string, KitPlayer>
}

export type ReceivedCallKind = BetOperation | 'profile' | 'other'

export interface RecordedRequest {
  readonly call: ReceivedCallKind
  readonly partner: KitPartner
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as it came. */
  readonly bytes: Buffer
  /** Empty when the body is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>
  /** When the whole request had come, in milliseconds of the kit's monotonic clock. */
  readonly at: number
  /** Absent while the kit has not answered and the connection stands. */
  ended?: RequestEnd
}

export interface RequestEnd {
  readonly at: number
  /** Null when the connection ended without an answer. */
  readonly status: number | null
  readonly body: string
}

/** Below the partner's address; anything else there is no call of the interface. */
export function classifyRequest(method: string, path: string, type: unknown): ReceivedCallKind {
  if (method === 'POST' && path === OPERATIONS.profile.path) return 'profile'
  return (path === OPERATIONS.place.path && parseBetOperation(method, type)) || 'other'
}

export function parseRequestBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  return parseJsonObject(bytes.toString('utf8')) ?? {}
}

/** The calls of one scene, and a way to wait for more. */
export interface RequestLog {
  readonly calls: readonly RecordedRequest[]
  add(call: RecordedRequest): void
  of(call: ReceivedCallKind): readonly RecordedRequest[]
  /** The bets by their Place bets, in the order in which they came. */
  bets(): readonly string[]
  /**
   * True as soon as so many have come; false when nothing more came for `idleTimeoutMs`, or not all
   * within `withinMs`.
   */
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

/** False when nothing came in time. */
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
