/** The way to one operator: its own connections and its own queue, both bounded, and what is left of the platform's 5 s. */

import type { ExchangeResult } from '../../../protocol/client/network/wallet-connection.ts'
import { openSignedConnection, type WalletAddress } from '../../../protocol/client/signed-connection.ts'
import { answerDeadline, startDeadline } from '../../../protocol/wire-limits.ts'
import { chain, type MaybePromise } from '../../../runtime/async/maybe-promise.ts'
import { environment } from '../../../runtime/environment.ts'
import type { TraceHeaders } from '../../../runtime/tracing.ts'
import { createBoundedSemaphore } from './bounded-semaphore.ts'

export interface OperatorCall {
  readonly method: 'POST' | 'PUT'
  readonly path: string
  readonly body: Buffer
  /** When the call came in, as world.elapsed() gives it. */
  readonly arrivedAt: number
  readonly trace?: TraceHeaders | undefined
}

export type OperatorCallResult =
  /** `sentAt`: when it went out, as world.elapsed() gives it. */
  | { readonly kind: 'sent'; readonly sentAt: number; readonly exchange: ExchangeResult }
  /** The operator has not heard of the call. */
  | { readonly kind: 'not_sent'; readonly detail: string }

export interface OperatorClient {
  /** Never rejects, and resolves before the platform gives up. */
  send(call: OperatorCall): MaybePromise<OperatorCallResult>
  /** Calls sent or waiting. */
  depth(): number
  /** How many more would find a place. */
  freeCapacity(): number
  /** When the last call came, as world.elapsed() gives it. */
  lastUsedAt(): number
  /** Finishes the calls under way, and those that wait. */
  close(): Promise<void>
}

/** Calls to one operator at once, and calls that wait for that, per process and use. */
export const OPERATOR_CALL_LIMITS = { inside: 64, waiting: 256 }
/** Milliseconds for a connection to an operator; in one that is slower a call would be too late. */
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
      return DEADLINE_PASSED // a place was free, but the call came to it late (G-6)
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
