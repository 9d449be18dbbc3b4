/**
 * Client for one operator. Its connections and its queue are bounded and used by no other operator
 * (G-7). The platform's 5 s include the earlier work, so a call to the operator has only the rest.
 */

import type { ExchangeResult } from '@purser/protocol/client/network/wallet-connection'
import { openSignedConnection, type WalletAddress } from '@purser/protocol/client/signed-connection'
import { answerDeadline, startDeadline } from '@purser/protocol/wire-limits'
import { chain, type MaybePromise } from '@purser/runtime/async/maybe-promise'
import { environment } from '@purser/runtime/environment'
import type { TraceHeaders } from '@purser/runtime/tracing'
import { createBoundedSemaphore } from './bounded-semaphore.ts'

export interface OperatorCall {
  readonly method: 'POST' | 'PUT'
  readonly path: string
  readonly body: Buffer
  /** Time of `environment.monotonicNow()`. */
  readonly arrivedAt: number
  readonly trace?: TraceHeaders | undefined
}

export type OperatorCallResult =
  /** `sentAt` is a time of `environment.monotonicNow()`. */
  | { readonly kind: 'sent'; readonly sentAt: number; readonly exchange: ExchangeResult }
  /** The operator has not received the call. */
  | { readonly kind: 'not_sent'; readonly detail: string }

export interface OperatorClient {
  /** Never rejects, and resolves before the platform's time-out. */
  send(call: OperatorCall): MaybePromise<OperatorCallResult>
  /** Calls that are sent or wait. */
  depth(): number
  /** Number of calls that would be accepted now. */
  freeCapacity(): number
  /** Time of `environment.monotonicNow()`. */
  lastUsedAt(): number
  /** Waits for the calls that are sent or wait. */
  close(): Promise<void>
}

/** Per operator, process and traffic class (G-7). */
export const OPERATOR_CALL_LIMITS = { inside: 64, waiting: 256 }
/** Over a slower connection a call would be too late. */
const CONNECT_MS = 2_000

const QUEUE_FULL: OperatorCallResult = { kind: 'not_sent', detail: 'too many calls to this operator are in progress' }
const DEADLINE_PASSED: OperatorCallResult = { kind: 'not_sent', detail: 'no time is left' }

export function createOperatorClient({
  baseUrl,
  secrets,
  headers,
  reach,
  connection,
}: Omit<WalletAddress, 'connections' | 'connectMs' | 'part'>): OperatorClient {
  const walletConnection = openSignedConnection({
    ...{ baseUrl, secrets, headers, reach, connection, part: 'gateway' as const },
    ...{ connections: OPERATOR_CALL_LIMITS.inside, connectMs: CONNECT_MS },
  })
  const semaphore = createBoundedSemaphore(OPERATOR_CALL_LIMITS)
  const exchangeInTime = ({ method, path, body, trace, arrivedAt }: OperatorCall): MaybePromise<OperatorCallResult> => {
    const now = environment.monotonicNow()
    if (now > startDeadline(arrivedAt)) {
      semaphore.release()
      return DEADLINE_PASSED // a permit was free, but the call came too late (G-6)
    }
    const timeoutMs = Math.floor(answerDeadline(arrivedAt) - now)
    return walletConnection.exchange({ method, path, body, trace, timeoutMs }).then((result) => {
      semaphore.release()
      return { kind: 'sent', sentAt: now, exchange: result }
    })
  }
  let lastUsedAt = Number.NEGATIVE_INFINITY
  return {
    send(call) {
      lastUsedAt = environment.monotonicNow()
      return chain(semaphore.acquire(startDeadline(call.arrivedAt)), (isAcquired) =>
        isAcquired ? exchangeInTime(call) : QUEUE_FULL,
      )
    },
    depth: semaphore.depth,
    freeCapacity: () => OPERATOR_CALL_LIMITS.inside + OPERATOR_CALL_LIMITS.waiting - semaphore.depth(),
    lastUsedAt: () => lastUsedAt,
    close: () => semaphore.whenIdle().then(walletConnection.close),
  }
}
